/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events.h -- the events to count, set by user space, and the time for which each was counted.
 */
#ifndef OPROFILE_EVENTS_H
#define OPROFILE_EVENTS_H

#include <linux/types.h>

#define OPROFILE_MAX_EVENTS	32
#define OPROFILE_MIN_COUNT	500UL
#define OPROFILE_MAX_COUNT	(1UL << 46)
#define OPROFILE_MAX_JITTER	16
#define OPROFILE_ANY_COUNTER	255UL
#define OPROFILE_FIXED_COUNTER	32UL	/* + n: Intel's fixed counter n */

/* Bits of `extra`, at their positions in x86's event select registers. */
#define OPROFILE_EXTRA_EDGE	(1UL << 18)
#define OPROFILE_EXTRA_ANY	(1UL << 21)
#define OPROFILE_EXTRA_INV	(1UL << 23)
#define OPROFILE_EXTRA_CMASK	(0xffUL << 24)
#define OPROFILE_EXTRA_BITS	(OPROFILE_EXTRA_EDGE | OPROFILE_EXTRA_ANY | OPROFILE_EXTRA_INV | \
				 OPROFILE_EXTRA_CMASK)

/* The values of the files in N/, with raw codes of the CPU. Sampling's lock; unchanged while
 * `buffer` is open. */
struct oprofile_event {
	unsigned long enabled;		/* 0 or 1 */
	unsigned long event;		/* event select: up to 12 bits on x86, 16 on ARM */
	unsigned long unit_mask;	/* 8 bits on x86, 0 elsewhere */
	unsigned long extra;		/* OPROFILE_EXTRA_* on x86, 0 elsewhere */
	unsigned long count;		/* events per sample */
	unsigned long kernel, user;	/* 0 or 1: count in this mode */
	unsigned long counter;		/* the counter: n, OPROFILE_FIXED_COUNTER + n, or ANY */
	/* kind of core of a hybrid CPU that the codes are for; 0: all */
	unsigned long core_type;
	unsigned long group;		/* time slice it is counted in, from 0 */
};

struct oprofile_event_time {
	u64 enabled_ns;			/* time for which it was enabled */
	u64 running_ns;			/* time for which it was counted */
};

/* Disable all events, and set the defaults: kernel and user mode, any counter. */
void oprofile_events_init(struct oprofile_event event[OPROFILE_MAX_EVENTS]);
/* Return whether any event is enabled. */
bool oprofile_events_any(const struct oprofile_event event[OPROFILE_MAX_EVENTS]);

#endif
