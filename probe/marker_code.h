/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_code.h -- code whose frames are never marked, because it reads return addresses.
 *
 * setjmp(), vfork() and similar functions save their own. dlopen() and dlsym() identify their
 * caller by it, and so does the loader. The unwinder of exceptions reads its own and then those of
 * all other frames. While such a function is active, frames outside of it are not marked either.
 */
#ifndef PROBE_MARKER_CODE_H
#define PROBE_MARKER_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define MARKER_CODE_RANGES	32

struct marker_code {
	struct { uint64_t start, end; } ranges[MARKER_CODE_RANGES];
	uint32_t nr;
};

/* written only by marker_code_find(), before markers are placed */
extern struct marker_code marker_code;

/* Find that code. Return 0; or -EPERM if no frame of this program may be marked: it contains
 * gprof's code, unwinds by code of its own, or lacks the library that replaces the unwinder. */
int marker_code_find(void);

/* Inline, because marker_returned() may only call functions compiled like itself. */
static inline bool marker_is_never(uint64_t pc)
{
	for (uint32_t i = 0; i < marker_code.nr; i++)
		if (pc >= marker_code.ranges[i].start && pc < marker_code.ranges[i].end)
			return true;
	return false;
}

#endif
