/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cost.h -- what sampling costs, by a clock that goes on while somebody else has the CPU.
 *
 * A hypervisor may take the CPU away in the middle of anything, for a thousand times as long as that
 * takes. Four are looked at together: none counts more than eight times the shortest of them, and the
 * longest no more than the one after it. Costs of two kinds, one ten times the other, come out at 0.6 to
 * 1.0 of their mean; with a long theft in one of eight, at 1.0 to 1.5 of what they are without.
 *
 * That suits interrupts, which are all alike. What a task looks up may truly take a hundred times as long for
 * one file as for another, and a user may see to it. But no hypervisor takes the CPU away so often that it
 * meets more than a few of them, which are a small part of the time: so the longest of each window count
 * eight times the shortest, and all others what they took.
 */
#ifndef OPROFILE_COST_H
#define OPROFILE_COST_H

#include <linux/minmax.h>
#include <linux/types.h>

#define OPROFILE_COST_FEW	4
#define OPROFILE_COST_ODD	8
#define OPROFILE_COST_THEFTS	8	/* that a window of 100 ms may have, of lookups */

/* Belongs to one CPU, used with interrupts off. */
struct oprofile_cost {
	u64 few[OPROFILE_COST_FEW];
	u32 nr;
};

/* One more took so many cycles. Returns what to enter for it and those before that are not yet. */
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

/* Belongs to one CPU, used with interrupts off. */
struct oprofile_lookup_cost {
	u64 window;
	u64 least;
	u64 excess[OPROFILE_COST_THEFTS];	/* the longest ones', of the window, over what they counted */
};

/* A lookup in @window took so many cycles. Returns what to enter for it and those before that are not yet. */
static inline u64 oprofile_lookup_cost_of(struct oprofile_lookup_cost *c, u64 cycles, u64 window, bool stealing)
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
