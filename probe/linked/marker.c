// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marker.c -- in a static program nothing stands in for what looks at return addresses, so no frame is marked.
 */
#include "config.h"
#include "probe/marker.h"

#include "probe/marker_code.h"

struct marker_code marker_code;		/* none */

#if ARCH_HAS_TRAMPOLINE

#include <errno.h>

#include "probe/marker_stubs.h"

/* No code is there, and no memory is needed for it. */
char marker_stubs[ARCH_STUBS_SIZE + ARCH_STUB_ENTRY], marker_slots[ARCH_STUBS_SIZE];

int marker_begin(void)
{
	return -EPERM;
}

bool marker_is_trampoline(uint64_t pc)
{
	(void)pc;
	return false;
}

uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc, uint64_t sp)
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

void marker_settle(struct marker *m, struct backtrace *bt)
{
	(void)m, (void)bt;
}

void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node, uint64_t sp)
{
	(void)m, (void)bt, (void)first, (void)node, (void)sp;
}

void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

#endif
