/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_sites.h -- moves counts of a heap profile to the code that needed the memory. A heap profile
 * counts bytes in malloc(). A listing of code shows these counts at the call in the nearest caller
 * that is not an allocator.
 */
#ifndef PP_PROFILE_CALL_SITES_H
#define PP_PROFILE_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/*
 * Search for the caller to which the counts of an allocation belong. A heap profile counts bytes at
 * the call of malloc(), which may be inside operator new or a wrapper function. The user wants to
 * see the line that called operator new or the wrapper.
 */

struct pp_callers {
	const struct pp_session *session;
	/* globs of additional allocators; may be empty */
	const struct pp_values *allocators;
};

/* Return whether @class, a class of samples, counts calls or bytes rather than samples. Such counts
 * always have call paths. */
bool pp_callers_count(const struct pp_callers *callers, size_t class);

/* Return @node or its nearest ancestor whose function is not an allocator and whose source line is
 * known. Return PP_PATH_ROOT if no such node exists. @profile must have been made with .call_lines
 * and .raw_names. */
uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node);

/* Return the index of the binary to which the counts at @node belong: the binary of the nearest
 * function from @node towards the root, or else the binary of the program. */
uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node);

/*
 * Set profile->code_entries to copies of the profile's entries in which counts of calls are moved
 * to the call sites. If the caller is unknown, the counts stay at the last function of the path. If
 * no tree of call paths counts calls, leave code_entries NULL. Return 0 or -ENOMEM.
 */
int pp_call_sites_make(struct pp_profile *profile, const struct pp_session *session,
		       const struct pp_path_sources *sources, const struct pp_frame_places *places,
		       const struct pp_profile_options *options);

#endif
