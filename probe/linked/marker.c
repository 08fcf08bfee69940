// SPDX-License-Identifier: GPL-2.0-or-later
/* marker.c -- stubs of the marker functions for static programs, which have no markers
 * (probe/core/marker.h): functions that read return addresses cannot be replaced in a static
 * program. */
#include "config.h"
#include "probe/core/marker.h"

#include "probe/core/marker_code.h"

struct marker_code marker_code;		/* no stubs: static programs have no markers */

#if ARCH_HAS_TRAMPOLINE

#include <errno.h>


/* Symbols of the trampoline, which static programs do not contain. They are never accessed. */
char marker_stubs[ARCH_STUBS_SIZE + ARCH_STUB_ENTRY], marker_slots[ARCH_STUBS_SIZE];

void marker_returned(uint64_t sp)
{
	(void)sp;
}

int marker_begin(void (*handler)(uint64_t sp))
{
	(void)handler;
	return -EPERM;
}

bool marker_is_trampoline(uint64_t pc)
{
	(void)pc;
	return false;
}

uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc,
			uint64_t sp)
{
	(void)m, (void)bt, (void)pc, (void)sp;
	return 0;
}

bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
	return false;
}

void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link)
{
	(void)m, (void)bt, (void)sp, (void)link;
	return false;
}

void marker_finish_walk(struct marker *m, struct backtrace *bt)
{
	(void)m, (void)bt;
}

void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node,
		  uint64_t sp)
{
	(void)m, (void)bt, (void)first, (void)node, (void)sp;
}

void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

#endif
