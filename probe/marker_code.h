/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_code.h -- code whose frames are never marked, as it looks at return addresses.
 *
 * setjmp(), vfork() and their like keep their own; dlopen() and dlsym() tell by it who has called; the loader does both.
 * What unwinds for exceptions begins with its own, and then goes through those of all others. Nor are frames marked that lie
 * outside of one of these, while that is at it.
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

extern struct marker_code marker_code;	/* written by marker_code_find() only, before there are markers */

/* 0; -EPERM: no frame of this program may be marked: it has gprof's code in it, or unwinds by code of its own, or the library
 * that stands in for what unwinds is not there. */
int marker_code_find(void);

/* Inline, as marker_returned() may call nothing that uses other registers. */
static inline bool marker_is_never(uint64_t pc)
{
	for (uint32_t i = 0; i < marker_code.nr; i++)
		if (pc >= marker_code.ranges[i].start && pc < marker_code.ranges[i].end)
			return true;
	return false;
}

#endif
