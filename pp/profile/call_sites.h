/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_sites.h -- counts of calls at the instructions that needed the memory. A heap profile counts
 * bytes in malloc(), but a listing of code shows them at the call in the nearest caller that is not
 * an allocator.
 */
#ifndef PP_PROFILE_CALL_SITES_H
#define PP_PROFILE_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/*
 * Search for the caller that counts of calls belong to. A heap profile counts bytes at the call of
 * malloc(), which may be in operator new or in a wrapper function. The line of interest is the line
 * that called operator new or the wrapper.
 */

struct pp_callers {
	const struct pp_session *session;
	/* globs of additional functions that allocate for their callers; may be empty */
	const struct pp_values *allocators;
};

/* Return whether the class counts calls or bytes. Such counts have call paths. */
bool pp_callers_count(const struct pp_callers *callers, size_t class);

/* Return @node or its nearest ancestor whose function is not an allocator and whose line is known,
 * or PP_PATH_ROOT. @profile must have been made with .call_lines and .raw_names. */
uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node);

/* Return the index of a binary for counts at @node: the binary of @node's function or, if @node has
 * no function, of its nearest ancestor with a function, or of its program. */
uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node);

/*
 * Fill in profile->code_entries: the entries and details of the profile, with the counts of calls
 * moved to the call sites. A path without a known caller keeps its counts at its last function.
 * Leave code_entries NULL if no tree counts calls. Return 0 or -ENOMEM.
 */
int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options);

#endif
