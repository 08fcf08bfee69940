// SPDX-License-Identifier: GPL-2.0
/*
 * governor.c -- limit of the share of a CPU's time that sampling takes.
 *
 * A share is a ratio of cycles, so that it does not depend on the unit of get_cycles().
 */
#include "governor.h"

#include <linux/math64.h>
#include <linux/string.h>
#include <linux/timex.h>

#include "compat/compat.h"
#include "debug.h"
#include "stats.h"

#define CALM_WINDOWS	10

void oprofile_governor_start(struct oprofile_governor *g, struct oprofile_budget *budget,
			     u64 now_ns)
{
	memset(g, 0, sizeof(*g));
	/* If an NMI comes here, its cost is not measured, because the governor is not started
	 * yet. */
	oprofile_widen_race();
	g->budget = budget;
	g->window_ns = now_ns;
	g->window_cycles = get_cycles();
	g->window_spent = this_cpu_read(*budget->spent);
	g->stealing = oprofile_on_hypervisor();
}

/* Change the sampling period at the end of a window of @window_ns, of which sampling took @took_ns.
 * @limit: maximum share of sampling, in thousandths. */
static void judge(struct oprofile_governor *g, u64 window_ns, u64 took_ns, unsigned long limit)
{
	struct oprofile_stats __percpu *stats = g->budget->stats;
	unsigned int permille = div64_u64(took_ns * 1000, window_ns);

	if (limit && permille > limit) {
		g->calm = 0;
		if (g->shift == OPROFILE_GOVERNOR_MAX_SHIFT)
			return;
		g->shift++;
		this_cpu_inc(stats->governor_throttled);
		this_cpu_add(stats->governor_looked_ns, window_ns);
		this_cpu_add(stats->governor_took_ns, took_ns);
		if (!xchg(&g->budget->reported, true))
			pr_info("oprofile: sampling takes more than %lu%% of CPU %d, %u.%u%%: "
				"halving its rate\n",
				limit / 10, smp_processor_id(), permille / 10, permille % 10);
	} else if (g->shift && (!limit || permille < limit / 3)) {
		if (++g->calm == CALM_WINDOWS) {
			g->calm = 0;
			g->shift--;
		}
	} else {
		g->calm = 0;
	}
}

void oprofile_governor_window(struct oprofile_governor *g, u64 now_ns)
{
	const struct oprofile_budget *b = g->budget;
	u64 now_cycles = get_cycles(), now_spent = this_cpu_read(*b->spent);
	u64 cycles = max(now_cycles - g->window_cycles, 1ULL);
	u64 spent = now_spent - g->window_spent, window_ns = now_ns - g->window_ns, took_ns;

	/* the difference is negative if a suspend has reset the cycle counter */
	if (likely((s64)cycles >= 0)) {
		took_ns = mul_u64_u64_div_u64(window_ns, spent, cycles);
		this_cpu_add(b->stats->sampling_ns, took_ns);
		if (g->shift)
			this_cpu_add(b->stats->governor_slow_ns, window_ns);
		g->window_length = mul_u64_u64_div_u64(OPROFILE_GOVERNOR_WINDOW, cycles, window_ns);
		judge(g, window_ns, took_ns, READ_ONCE(b->percent) * 10);
	}
	g->window_ns = now_ns;
	g->window_cycles = now_cycles;
	g->window_spent = now_spent;
}
