/* SPDX-License-Identifier: GPL-2.0 */
/*
 * governor.h -- keeps sampling from taking more than its share of a CPU: above the limit the
 * period is doubled, and halved again after a second well below it.
 *
 * Belongs to one CPU, called in its interrupt handler.
 */
#ifndef OPROFILE_GOVERNOR_H
#define OPROFILE_GOVERNOR_H

#include <linux/jiffies.h>
#include <linux/types.h>

#include "cost.h"

struct oprofile_stats;

/* What sampling may take of each CPU, and where it is entered what it took. */
struct oprofile_budget {
	unsigned long percent;	/* 0: as much as it likes */
	u64 __percpu *spent;	/* cycles */
	struct oprofile_stats __percpu *stats;
	bool told;		/* the log says that the rate was halved */
};

struct oprofile_governor {
	struct oprofile_budget *budget;
	u64 window_ns;		/* start of the window: time, cycles, cycles spent sampling */
	u64 window_cycles;
	u64 window_spent;
	u64 window_length;	/* about so many cycles, so that the time is not read at each interrupt */
	struct oprofile_cost interrupts;
	struct oprofile_lookup_cost lookups;
	bool stealing;		/* time may be stolen from us */
	u32 shift;		/* period is the one asked for << shift */
	u32 calm;		/* windows well below the limit in a row */
};

#define OPROFILE_GOVERNOR_WINDOW	(100 * NSEC_PER_MSEC)
#define OPROFILE_GOVERNOR_MAX_SHIFT	10

/* An interrupt, or a lookup that came of one, took so many cycles. Returns those to enter as spent. */
static inline u64 oprofile_governor_interrupt(struct oprofile_governor *g, u64 cycles)
{
	return oprofile_cost_of(&g->interrupts, cycles, g->stealing);
}

static inline u64 oprofile_governor_lookup(struct oprofile_governor *g, u64 cycles)
{
	return oprofile_lookup_cost_of(&g->lookups, cycles, get_jiffies_64() / (HZ / 10), g->stealing);
}

void oprofile_governor_start(struct oprofile_governor *g, struct oprofile_budget *budget, u64 now_ns);
/* At the end of a window. */
void oprofile_governor_window(struct oprofile_governor *g, u64 now_ns);

#endif
