/* SPDX-License-Identifier: GPL-2.0 */
/*
 * governor.h -- keeps sampling from taking more than its share of a CPU: above the limit the
 * period is doubled, and halved again after a second well below it.
 *
 * Belongs to one CPU, called in its interrupt handler.
 */
#ifndef OPROFILE_GOVERNOR_H
#define OPROFILE_GOVERNOR_H

#include <linux/minmax.h>
#include <linux/types.h>

struct oprofile_session;

struct oprofile_governor {
	u64 window_ns;		/* start of the window: time, cycles, cycles spent sampling */
	u64 window_cycles;
	u64 window_spent;
	u64 window_length;	/* about so many cycles, so that the time is not read at each interrupt */
	u64 least;		/* cycles of the shortest of the last few interrupts */
	u32 few;		/* of how many */
	u32 shift;		/* period is the one asked for << shift */
	u32 calm;		/* windows well below the limit in a row */
};

#define OPROFILE_GOVERNOR_WINDOW	(100 * NSEC_PER_MSEC)
#define OPROFILE_GOVERNOR_MAX_SHIFT	10
#define OPROFILE_GOVERNOR_FEW		4

/*
 * An interrupt took so many cycles. A hypervisor may have taken the CPU away in the middle of one, but
 * hardly of each of a few in a row: all of them count as much as the shortest.
 */
static inline u64 oprofile_governor_interrupt(struct oprofile_governor *g, u64 cycles)
{
	u64 spent;

	g->least = g->few ? min(g->least, cycles) : cycles;
	if (++g->few < OPROFILE_GOVERNOR_FEW)
		return 0;
	spent = g->least * OPROFILE_GOVERNOR_FEW;
	g->few = 0;
	return spent;
}

void oprofile_governor_start(struct oprofile_governor *g, struct oprofile_session *s, u64 now_ns);
/* At the end of a window. */
void oprofile_governor_window(struct oprofile_governor *g, struct oprofile_session *s, u64 now_ns);

#endif
