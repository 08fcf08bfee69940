/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_build.h -- from the trees of a session to the one of a profile, once all frames have become functions.
 */
#ifndef PP_PROFILE_PATH_BUILD_H
#define PP_PROFILE_PATH_BUILD_H

#include "pp/profile/path_frames.h"

/* Sets the profile's paths, without totals (pp_paths_finish()); @places are those of all frames, which become the
 * profile's. -ENOMEM. */
int pp_paths_build(struct pp_profile *profile, const struct pp_session *session,
		   const struct pp_path_sources *sources, const struct pp_frame_places *places,
		   const struct pp_profile_options *options, struct pp_log *log);

#endif
