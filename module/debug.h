/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug.h -- what only a module made for tests does: make OPROFILE_DEBUG=1.
 */
#ifndef OPROFILE_DEBUG_H
#define OPROFILE_DEBUG_H

#include <linux/delay.h>
#include <linux/random.h>

/* Makes a window of a few instructions so wide that a test meets what happens there. */
static inline void oprofile_widen_race(void)
{
#ifdef OPROFILE_DEBUG
	udelay(1000);
#endif
}

/* As a hypervisor does that gives the CPU to somebody else, in one of eight interrupts. */
static inline void oprofile_steal_time(void)
{
#ifdef OPROFILE_DEBUG
	if (get_random_u32() % 8 == 0)
		udelay(400);
#endif
}

/* How much a sample of the timer's counts: a sample, but now and then more than a record can say. */
static inline u64 oprofile_amount(void)
{
#ifdef OPROFILE_DEBUG
	if (get_random_u32() % 64 == 0)
		return (1ULL << 32) + 7;
#endif
	return 1;
}

#endif
