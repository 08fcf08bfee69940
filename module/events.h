/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events.h -- the events to count, which user space sets, and the times for which they were
 * counted.
 */
#ifndef OPROFILE_EVENTS_H
#define OPROFILE_EVENTS_H

#include <linux/types.h>

#define OPROFILE_MAX_EVENTS	32
#define OPROFILE_MIN_COUNT	500UL
#define OPROFILE_MAX_COUNT	(1UL << 46)
#define OPROFILE_MAX_JITTER	16
#define OPROFILE_ANY_COUNTER	255UL
/* OPROFILE_FIXED_COUNTER + n selects Intel's fixed counter n */
#define OPROFILE_FIXED_COUNTER	32UL

/* Bits of the member `extra`, at the same positions as in x86's event select registers. */
#define OPROFILE_EXTRA_EDGE	(1UL << 18)
#define OPROFILE_EXTRA_ANY	(1UL << 21)
#define OPROFILE_EXTRA_INV	(1UL << 23)
#define OPROFILE_EXTRA_CMASK	(0xffUL << 24)
#define OPROFILE_EXTRA_BITS	(OPROFILE_EXTRA_EDGE | OPROFILE_EXTRA_ANY | OPROFILE_EXTRA_INV | \
				 OPROFILE_EXTRA_CMASK)

/* The settings of an event: the values of the files in its directory N/ of oprofilefs. All codes
 * are the CPU's own codes. Protected by the sampling's lock; unchanged while `buffer` is open. */
struct oprofile_event {
	unsigned long enabled;		/* value of the event's file `enabled`: 1 or 0 */
	unsigned long event;		/* event code: up to 12 bits on x86, 16 bits on ARM */
	unsigned long unit_mask;	/* unit mask: 8 bits on x86, 0 on other machines */
	unsigned long extra;		/* bits OPROFILE_EXTRA_* on x86, 0 on other machines */
	unsigned long count;		/* number of events from one sample to the next */
	/* whether to count in kernel mode and in user mode: 1 or 0 */
	unsigned long kernel, user;
	/* the counter to use: n, OPROFILE_FIXED_COUNTER + n, or OPROFILE_ANY_COUNTER */
	unsigned long counter;
	/* kind of core of a hybrid CPU to which the codes apply; 0: all kinds */
	unsigned long core_type;
	/* number of the group of events with which the event is counted at the same time, from 0
	 * on */
	unsigned long group;
};

struct oprofile_event_time {
	u64 enabled_ns;			/* time in ns for which the event was enabled */
	u64 running_ns;			/* time in ns for which a counter counted the event */
};

/* Disable all events, and set the defaults: kernel and user mode, any counter. */
void oprofile_events_init(struct oprofile_event event[OPROFILE_MAX_EVENTS]);
/* Return whether any event is enabled. */
bool oprofile_events_any(const struct oprofile_event event[OPROFILE_MAX_EVENTS]);

#endif
