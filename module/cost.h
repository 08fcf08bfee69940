/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cost.h -- estimates of sampling's cost that ignore time stolen by a hypervisor.
 *
 * The cycle counter also counts while a hypervisor runs something else, which may last a thousand
 * times as long as an interrupt. So the cost of four interrupts is evaluated together: each
 * interrupt counts at most as eight times the shortest of the four, and the longest counts at most
 * as much as the second longest. If there are two kinds of interrupts, one costing ten times as
 * much as the other, the result is 0.6 to 1.0 times their mean cost. If the hypervisor steals much
 * time in one of eight interrupts, the result is 1.0 to 1.5 times the true cost.
 *
 * Interrupts have similar costs; lookups do not: one file may take a hundred times as long as
 * another, and a user may cause this. But a hypervisor hits only a few lookups in a window, because
 * they are a small part of the time. So each of the OPROFILE_COST_THEFTS longest lookups of a
 * window counts at most as eight times the window's shortest lookup, and all other lookups count
 * fully.
 */
#ifndef OPROFILE_COST_H
#define OPROFILE_COST_H

#include <linux/minmax.h>
#include <linux/types.h>

#define OPROFILE_COST_FEW	4
#define OPROFILE_COST_ODD	8
/* maximum number of lookups in a window of 100 ms that are assumed to be lengthened by stolen
 * time */
#define OPROFILE_COST_THEFTS	8

/* State of the estimate of interrupts' cost on one CPU. Used with interrupts off. */
struct oprofile_cost {
	u64 few[OPROFILE_COST_FEW];
	u32 nr;
};

/* Account an interrupt that took @cycles. Return the number of cycles to charge to sampling, for
 * this interrupt and for earlier ones that were not charged yet. */
static inline u64 oprofile_cost_of(struct oprofile_cost *c, u64 cycles, bool stealing)
{
	u64 least = cycles, longest = 0, second = 0, sum = 0;
	u32 i;

	if (!stealing)
		return cycles;
	c->few[c->nr++] = cycles;
	if (c->nr < OPROFILE_COST_FEW)
		return 0;
	c->nr = 0;
	for (i = 0; i < OPROFILE_COST_FEW; i++)
		least = min(least, c->few[i]);
	for (i = 0; i < OPROFILE_COST_FEW; i++) {
		u64 took = min(c->few[i], least * OPROFILE_COST_ODD);

		sum += took;
		second = max(second, min(took, longest));
		longest = max(longest, took);
	}
	return sum - longest + second;
}

/* State of the estimate of lookups' cost on one CPU. Used with interrupts off. */
struct oprofile_lookup_cost {
	u64 window;
	u64 least;
	/* cycles of the window's longest lookups that were not charged yet; one entry for each
	 * lookup */
	u64 excess[OPROFILE_COST_THEFTS];
};

/* Account a lookup in @window that took @cycles. Return the number of cycles to charge to
 * sampling, for this lookup and for earlier ones that were not charged yet. */
static inline u64 oprofile_lookup_cost_of(struct oprofile_lookup_cost *c, u64 cycles, u64 window,
					  bool stealing)
{
	u64 counted, excess;
	u32 i, least = 0;

	if (!stealing)
		return cycles;
	if (c->window != window || !c->least)
		*c = (struct oprofile_lookup_cost){ .window = window, .least = cycles };
	c->least = min(c->least, cycles);
	counted = min(cycles, c->least * OPROFILE_COST_ODD);
	excess = cycles - counted;
	for (i = 1; i < OPROFILE_COST_THEFTS; i++) {
		if (c->excess[i] < c->excess[least])
			least = i;
	}
	if (excess <= c->excess[least])
		return counted + excess;
	counted += c->excess[least];
	c->excess[least] = excess;
	return counted;
}

#endif
