/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_sites.h -- counts of calls at the code that needed them. A heap profile counts bytes in
 * malloc(), but a listing of code shows them at the call in the nearest caller that is not an
 * allocator.
 */
#ifndef PP_PROFILE_CALL_SITES_H
#define PP_PROFILE_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/*
 * Search for the caller to which the counts of a call belong. A heap profile counts bytes at the
 * call of malloc(), which may be inside operator new or a wrapper function. The interesting line is
 * the one that called operator new or the wrapper.
 */

struct pp_callers {
	const struct pp_session *session;
	/* globs of additional allocators; may be empty */
	const struct pp_values *allocators;
};

/* Return whether the class counts calls or bytes. Such counts have call paths. */
bool pp_callers_count(const struct pp_callers *callers, size_t class);

/* Return the nearest node, from @node outwards, whose function is not an allocator and whose line
 * is known. Return PP_PATH_ROOT if no such node exists. @profile must have been made with
 * .call_lines and .raw_names. */
uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node);

/* Return the index of the binary that gets the counts at @node: the binary of the nearest function,
 * from @node outwards, or of the program. */
uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node);

/*
 * Set profile->code_entries to copies of the entries and details, with the counts of calls moved to
 * the call sites. If the caller of a path is unknown, its counts stay at its last function. Leave
 * code_entries NULL if no tree counts calls. Return 0 or -ENOMEM.
 */
int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options);

#endif
