/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_sites.h -- counts of calls at the instructions that needed the memory. A heap profile counts
 * bytes in malloc(), but a listing of code shows them at the call in the nearest caller that is not
 * an allocator (callers.h).
 */
#ifndef PP_PROFILE_CALL_SITES_H
#define PP_PROFILE_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/*
 * The line that counts of calls belong to. A heap profile counts bytes where malloc() was called,
 * which may be in operator new or in a wrapper. The line of interest is the line that called these.
 */

struct pp_callers {
	const struct pp_session *session;
	/* globs: more functions that allocate for their callers; may be empty */
	const struct pp_values *allocators;
};

/* Return whether the class counts calls, which have call paths. */
bool pp_callers_count(const struct pp_callers *callers, size_t class);

/* Return the nearest node at or outside of @node whose function is not an allocator and whose line
 * is known, or PP_PATH_ROOT. The profile has .call_lines and raw names. */
uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node);

/* Return the index of the binary of @node; for a node without a function, the index of its
 * program. */
uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node);

/*
 * Fill in profile->code_entries: the entries and details of the profile, with the counts of calls
 * moved to the call sites. A path without a known caller keeps its counts at its leaf. Leave
 * code_entries NULL if no tree counts calls. Return 0 or -ENOMEM.
 */
int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options);

#endif
