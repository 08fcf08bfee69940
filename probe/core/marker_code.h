/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_code.h -- functions whose frames are never marked (marker.h), because they read return
 * addresses.
 *
 * setjmp(), vfork() and similar functions save their own return address. dlopen(), dlsym() and
 * functions of the dynamic loader identify their caller by the return address. The unwinder of
 * exceptions reads its own and then the return addresses of all other frames. While such a function
 * is active, no frame outside of it is marked.
 */
#ifndef PROBE_CORE_MARKER_CODE_H
#define PROBE_CORE_MARKER_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define MARKER_CODE_RANGES	32

struct marker_code {
	struct { uint64_t start, end; } ranges[MARKER_CODE_RANGES];
	uint32_t nr;
};

/* Written only by marker_code_find(), before the first marker is placed. */
extern struct marker_code marker_code;

/* Find the functions that read return addresses. Return 0; or -EPERM if no frame of the program may
 * be marked, because it contains code of gprof, has an unwinder of its own, or was started without
 * the library that replaces the unwinder. */
int marker_code_find(void);

/* Return whether a frame at @pc must never be marked. Inline, because marker_returned() may only
 * call functions that are compiled without vector registers. */
static inline bool marker_is_never(uint64_t pc)
{
	for (uint32_t i = 0; i < marker_code.nr; i++)
		if (pc >= marker_code.ranges[i].start && pc < marker_code.ranges[i].end)
			return true;
	return false;
}

#endif
