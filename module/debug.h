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

/* A drain that has failed waits before it says so: the reader makes room, and asks whether anybody waits for that. */
static inline void oprofile_let_reader_come(void)
{
#ifdef OPROFILE_DEBUG
	msleep(100);
#endif
}

/* Memory that nobody has written is told from what was: no word of a stream is that (tests/kernel/bufread.c). */
static inline void oprofile_mark_unwritten(unsigned long *words, u64 nr)
{
#ifdef OPROFILE_DEBUG
	while (nr)
		words[--nr] = 0x6f70726f66696c65UL;
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
