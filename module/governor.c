// SPDX-License-Identifier: GPL-2.0
/*
 * governor.c -- the share of a CPU that sampling takes.
 *
 * Shares are cycles of cycles, so that it does not matter what unit get_cycles() has.
 */
#include "governor.h"

#include <linux/math64.h>
#include <linux/timex.h>

#include "session.h"

#define CALM_WINDOWS	10

void oprofile_governor_start(struct oprofile_governor *g, struct oprofile_session *s, u64 now_ns)
{
	*g = (struct oprofile_governor){
		.window_ns = now_ns,
		.window_cycles = get_cycles(),
		.window_spent = this_cpu_read(s->cpu->spent),
	};
}

void oprofile_governor_window(struct oprofile_governor *g, struct oprofile_session *s, u64 now_ns)
{
	unsigned long limit = READ_ONCE(s->settings.governor_percent) * 10;
	u64 now_cycles = get_cycles(), now_spent = this_cpu_read(s->cpu->spent);
	u64 cycles = max(now_cycles - g->window_cycles, 1ULL);
	u64 spent = now_spent - g->window_spent;
	u64 permille;

	if (unlikely((s64)cycles < 0)) {	/* they began anew: the machine was suspended */
		g->window_ns = now_ns;
		g->window_cycles = now_cycles;
		g->window_spent = now_spent;
		return;
	}
	permille = div64_u64(spent * 1000, cycles);
	this_cpu_add(s->cpu->stats.sampling_ns,
		     mul_u64_u64_div_u64(now_ns - g->window_ns, spent, cycles));
	g->window_length = mul_u64_u64_div_u64(OPROFILE_GOVERNOR_WINDOW, cycles,
					       now_ns - g->window_ns);
	g->window_ns = now_ns;
	g->window_cycles = now_cycles;
	g->window_spent = now_spent;

	if (limit && permille > limit) {
		g->calm = 0;
		if (g->shift == OPROFILE_GOVERNOR_MAX_SHIFT)
			return;
		g->shift++;
		this_cpu_inc(s->cpu->stats.governor_throttled);
		if (!xchg(&s->governor_told, true))
			pr_info("oprofile: sampling takes more than %lu%% of CPU %d: halving its rate\n",
				limit / 10, smp_processor_id());
	} else if (g->shift && (!limit || permille < limit / 3)) {
		if (++g->calm == CALM_WINDOWS) {
			g->calm = 0;
			g->shift--;
		}
	} else {
		g->calm = 0;
	}
}
