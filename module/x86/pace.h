/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/pace.h -- limit of a CPU's NMI rate. The governor (governor.h) is too slow for this, because
 * it evaluates windows of 100 ms, and it may be off. So this file doubles the periods of all
 * counters after a millisecond with too many NMIs, and halves them after a millisecond with few
 * NMIs.
 *
 * The struct belongs to one CPU and is used in its NMI handler.
 */
#ifndef OPROFILE_X86_PACE_H
#define OPROFILE_X86_PACE_H

#include <linux/types.h>

#define OPROFILE_PACE_NS	1000000
/* maximum number of NMIs per millisecond; the same limit as perf's 100,000 per second */
#define OPROFILE_PACE_MOST	100
#define OPROFILE_PACE_MAX_SHIFT	16

struct oprofile_pace {
	u64 since_ns;
	u32 interrupts;		/* number of NMIs since the time .since_ns */
	u32 most;
	u32 shift;		/* current period = requested period << shift */
	u32 halved;		/* number of times the rate was halved */
};

/* Count an NMI of this module. Late NMIs without an overflow count as well, because they cost as
 * much as others. */
static inline void oprofile_pace_interrupt(struct oprofile_pace *pace, u64 now_ns)
{
	u64 windows = (now_ns - pace->since_ns) / OPROFILE_PACE_NS;

	if (windows) {
		/* Halve the periods as long as the resulting NMI rate stays below a third of the
		 * limit. */
		for (; pace->shift && pace->interrupts < pace->most / 3 * windows; pace->shift--)
			pace->interrupts *= 2;
		pace->since_ns = now_ns;
		pace->interrupts = 0;
	}
	if (++pace->interrupts <= pace->most || pace->shift == OPROFILE_PACE_MAX_SHIFT)
		return;
	pace->shift++;
	pace->halved++;
	pace->since_ns = now_ns;
	pace->interrupts = 0;
}

#endif
