/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h -- making the tree of a profile from the trees of a session, after all frames were
 * looked up.
 */
#ifndef PP_PATHS_BUILD_H
#define PP_PATHS_BUILD_H

#include "pp/profile/path_frames.h"

/* Set the profile's paths, without totals (pp_paths_finish()). @places: those of all frames,
 * which are copied to the profile. Return 0 or -ENOMEM. */
int pp_paths_build(struct pp_profile *profile, const struct pp_session *session,
		   const struct pp_path_sources *sources, const struct pp_frame_places *places,
		   const struct pp_profile_options *options, struct pp_log *log);

#endif
