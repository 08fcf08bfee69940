/* SPDX-License-Identifier: GPL-2.0 */
/*
 * governor.h -- limit of the share of a CPU's time that sampling takes. If the share exceeds the
 * limit, the governor doubles the CPU's sampling period; after a second well below the limit, the
 * governor halves the period again.
 *
 * A governor belongs to one CPU, whose interrupt handler calls it.
 */
#ifndef OPROFILE_GOVERNOR_H
#define OPROFILE_GOVERNOR_H

#include <linux/jiffies.h>
#include <linux/timex.h>
#include <linux/types.h>

#include "cost.h"

struct oprofile_stats;

/* The maximum share of each CPU's time that sampling may take, and the cycles spent so far. */
struct oprofile_budget {
	unsigned long percent;	/* limit of the share in percent; 0: no limit */
	u64 __percpu *spent;	/* cycles spent on sampling, on each CPU */
	struct oprofile_stats __percpu *stats;
	bool reported;	/* whether a log message about a reduced rate has been printed */
};

struct oprofile_governor {
	struct oprofile_budget *budget;
	/* values at the start of the window: time, cycles, and cycles spent on sampling */
	u64 window_ns;
	u64 window_cycles;
	u64 window_spent;
	/* approximate length of a window in cycles, to avoid reading the time in each interrupt */
	u64 window_length;
	u32 interrupts_begun;
	struct oprofile_cost interrupts;
	struct oprofile_lookup_cost lookups;
	/* the CPU may be a virtual CPU, so measured times may include time that a hypervisor
	 * stole */
	bool stealing;
	u32 shift;		/* current period = configured period << shift */
	u32 calm;		/* number of successive windows well below the limit */
};

#define OPROFILE_GOVERNOR_WINDOW	(100 * NSEC_PER_MSEC)
#define OPROFILE_GOVERNOR_MAX_SHIFT	10
#define OPROFILE_GOVERNOR_MEASURED	4

/* Begin an interrupt. Return the time in cycles if the interrupt is to be measured, otherwise 0: to
 * measure costs time, too, so one of OPROFILE_GOVERNOR_MEASURED interrupts stands for all. */
static inline u64 oprofile_governor_begin(struct oprofile_governor *g)
{
	return g->interrupts_begun++ % OPROFILE_GOVERNOR_MEASURED ? 0 : get_cycles();
}

/* Account an interrupt that was measured and took @cycles. Return the estimated cost in cycles of
 * this interrupt and of those for which it stands, without the time that a hypervisor stole
 * (cost.h). */
static inline u64 oprofile_governor_interrupt(struct oprofile_governor *g, u64 cycles)
{
	return oprofile_cost_of(&g->interrupts, cycles, g->stealing) * OPROFILE_GOVERNOR_MEASURED;
}

/* Account a lookup that took @cycles. Return its estimated cost in the same way. */
static inline u64 oprofile_governor_lookup(struct oprofile_governor *g, u64 cycles)
{
	return oprofile_lookup_cost_of(&g->lookups, cycles, get_jiffies_64() / (HZ / 10),
				       g->stealing);
}

void oprofile_governor_start(struct oprofile_governor *g, struct oprofile_budget *budget,
			     u64 now_ns);
/* Evaluate the share of a window that sampling took, and change the sampling period if
 * necessary. Called at the end of each window. */
void oprofile_governor_window(struct oprofile_governor *g, u64 now_ns);

#endif
