/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/pace.h -- how many NMIs a CPU can bear. The governor judges by what sampling took in 100 ms; in so
 * long a count of 500 can be a million NMIs, and with the governor off there is nothing else. So a
 * millisecond with too many of them doubles all periods at once, and a calm one halves them again.
 *
 * Belongs to one CPU, used in its NMI handler.
 */
#ifndef OPROFILE_X86_PACE_H
#define OPROFILE_X86_PACE_H

#include <linux/types.h>

#define OPROFILE_PACE_NS	1000000
#define OPROFILE_PACE_MOST	100	/* in that time: perf's limit is the same 100,000 a second */
#define OPROFILE_PACE_MAX_SHIFT	16

struct oprofile_pace {
	u64 since_ns;
	u32 interrupts;		/* since since_ns */
	u32 most;
	u32 shift;		/* a period is the one asked for << shift */
	u32 halved;		/* how often the rate was halved */
};

/* Counts an NMI of ours; one that came late and found nothing counts as well, for it costs as much. */
static inline void oprofile_pace_interrupt(struct oprofile_pace *pace, u64 now_ns)
{
	u64 windows = (now_ns - pace->since_ns) / OPROFILE_PACE_NS;

	if (windows) {
		/* Halves the periods as often as the rate that this makes stays below a third of what can be borne. */
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
