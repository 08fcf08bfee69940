/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.h -- the line that counts of calls belong to. A heap profile counts bytes where malloc()
 * was called, which may be in operator new or in a wrapper. The line of interest is the line that
 * called these.
 */
#ifndef PP_PROFILE_CALLERS_H
#define PP_PROFILE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/profile.h"

struct pp_callers {
	const struct pp_session *session;
	/* globs: more functions that allocate for their callers; may be empty */
	const struct pp_values *allocators;
};

/* Return whether the class counts calls, which have call paths. */
bool pp_callers_count(const struct pp_callers *callers, size_t class);

/* Return whether the function allocates for its callers. @shown: its name in reports; @raw: its
 * linker name. */
bool pp_callers_is_allocator(const struct pp_callers *callers, const char *shown, const char *raw);

/* Return the nearest node at or outside of @node whose function is not an allocator and whose line
 * is known, or PP_PATH_ROOT. The profile has .call_lines and raw names. */
uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node);

/* Return the index of the binary of @node; for a node without a function, the index of its
 * program. */
uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node);

#endif
