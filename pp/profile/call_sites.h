/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_sites.h -- counts of calls at the instructions that needed the memory. A heap profile counts
 * bytes in malloc(), but a listing of code shows them at the call in the nearest caller that is not
 * an allocator (callers.h).
 */
#ifndef PP_PROFILE_CALL_SITES_H
#define PP_PROFILE_CALL_SITES_H

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/*
 * Fill in profile->code_entries: the entries and details of the profile, with the counts of calls
 * moved to the call sites. A path without a known caller keeps its counts at its leaf. Leave
 * code_entries NULL if no tree counts calls. Return 0 or -ENOMEM.
 */
int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options);

#endif
