// SPDX-License-Identifier: GPL-2.0
/* period.c -- period until the next interrupt of a counter, and cost of the last interrupt. */
#include "period.h"

#include <linux/minmax.h>
#include <linux/ktime.h>
#include <linux/timex.h>

#include "sampling.h"

/*
 * Cost of a whole overflow interrupt, as a multiple of the cost between oprofile_interrupt_begin()
 * and oprofile_interrupt_end(): 1,275 instructions divided by 196, measured with perf events on
 * aarch64, Linux 6.1.
 */
#define INTERRUPT_COST	7

u64 oprofile_interrupt_begin(struct oprofile_sampling *s)
{
	return oprofile_governor_begin(this_cpu_ptr(&s->cpu->governor));
}

void oprofile_interrupt_end(struct oprofile_sampling *s, u64 begin)
{
	struct oprofile_governor *g = this_cpu_ptr(&s->cpu->governor);
	u64 now = get_cycles();

	if (begin)
		this_cpu_add(s->cpu->spent,
			     oprofile_governor_interrupt(g, (now - begin) * INTERRUPT_COST));
	if (unlikely(now - g->window_cycles >= g->window_length)) {
		/* ktime_get_mono_fast_ns() is the clock that may be read in an NMI */
		u64 now_ns = ktime_get_mono_fast_ns();

		if (now_ns - g->window_ns >= OPROFILE_GOVERNOR_WINDOW)
			oprofile_governor_window(g, now_ns);
	}
}

/* Return random bits by Marsaglia's xorshift, because the kernel's random number generators may
 * not be called in an NMI. */
static u32 random_bits(struct oprofile_cpu *pcpu)
{
	u32 x = READ_ONCE(pcpu->random);

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	WRITE_ONCE(pcpu->random, x);
	return x >> (32 - OPROFILE_MAX_JITTER);
}

u64 oprofile_next_period(struct oprofile_sampling *s, unsigned int event)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	u32 mask = (1U << s->settings.jitter) - 1;
	u64 period = (u64)s->event[event].count << READ_ONCE(pcpu->governor.shift);

	if (mask)
		period += (random_bits(pcpu) & mask) - (u64)(mask / 2);
	return min_t(u64, period, OPROFILE_MAX_COUNT);
}
