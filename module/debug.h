/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug.h -- fault injection for tests, in a module built with make OPROFILE_DEBUG=1.
 */
#ifndef OPROFILE_DEBUG_H
#define OPROFILE_DEBUG_H

#include <linux/delay.h>
#include <linux/random.h>

/* Wait inside a race window of a few instructions, so that a test hits the race. */
static inline void oprofile_widen_race(void)
{
#ifdef OPROFILE_DEBUG
	udelay(1000);
#endif
}

/* Wait before the handling of a drain that failed because the ring is full, so that the reader
 * makes room in the ring and checks for waiters during the wait. */
static inline void oprofile_delay_failed_drain(void)
{
#ifdef OPROFILE_DEBUG
	msleep(100);
#endif
}

/* Fill unwritten memory with a value that no word of a stream has, so that tests/kernel/bufread.c
 * detects reads of unwritten words. */
static inline void oprofile_mark_unwritten(unsigned long *words, u64 nr)
{
#ifdef OPROFILE_DEBUG
	while (nr)
		words[--nr] = 0x6f70726f66696c65UL;
#endif
}

/* Simulate a hypervisor that steals time in one of eight interrupts. */
static inline void oprofile_simulate_stolen_time(void)
{
#ifdef OPROFILE_DEBUG
	if (get_random_u32() % 8 == 0)
		udelay(400);
#endif
}

/* Return the count of a timer sample: 1. In debug builds, sometimes return a number that is too
 * large for one record. */
static inline u64 oprofile_amount(void)
{
#ifdef OPROFILE_DEBUG
	if (get_random_u32() % 64 == 0)
		return (1ULL << 32) + 7;
#endif
	return 1;
}

#endif
