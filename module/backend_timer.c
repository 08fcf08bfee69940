// SPDX-License-Identifier: GPL-2.0
/*
 * backend_timer.c -- sampling by a high-resolution timer on each CPU; needs no PMU.
 *
 * Each CPU's time is divided into periods, and the timer fires once in each period, at a random
 * moment. With a constant period of a millisecond, the timer would stay in phase with the
 * scheduler's tick: short work that each tick starts would be sampled in every tick or in none. The
 * timer of an idle CPU is stopped, so that the CPU may sleep. When the CPU leaves idle, the timer
 * is restarted for the moment that was planned before, so that short bursts of work are sampled at
 * the correct rate.
 */
#include "backend.h"

#include <asm/irq_regs.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <trace/events/power.h>

#include "compat/compat.h"
#include "debug.h"
#include "governor.h"
#include "handler.h"
#include "offcpu/offcpu.h"
#include "oprofilefs.h"
#include "sampling.h"

#define MIN_PERIOD	50000		/* shortest period in ns, for a rate of 20 kHz */
#define MAX_PERIOD	100000000	/* longest period in ns, for a rate of 10 Hz */
#define DEFAULT_PERIOD	1000000		/* default period in ns, for a rate of 1 kHz */

#ifdef OPROFILE_DEBUG
static bool forget_timer;
module_param(forget_timer, bool, 0644);
MODULE_PARM_DESC(forget_timer, "for tests: leave the timers queued at a stop");
#else
#define forget_timer	false
#endif

/* Cost of a whole timer interrupt, as a multiple of the cost that the handler can measure: 1,125
 * instructions divided by 214, measured on Linux 6.1. */
#define INTERRUPT_COST	5

struct timer_cpu {
	struct hrtimer timer;
	struct oprofile_sampling *s;
	struct oprofile_governor governor;
	u64 random;		/* state of random_bits() */
	/* the CPU's current period in ns; 0: the timer was not started yet */
	u64 period;
	ktime_t begin;		/* start of the period in which the timer was last set to expire */
	ktime_t idle_since;	/* time at which the CPU became idle; 0: the CPU is not idle */
	bool running;
};

struct timer_backend {
	struct timer_cpu __percpu *cpu;
	unsigned long period;	/* configured period in ns; protected by the sampling's lock */
};

static struct timer_backend *backend_of(struct oprofile_sampling *s)
{
	return s->timer;
}

/* Return 32 random bits: the upper half of a linear congruential generator with the constants of
 * Knuth's MMIX, which takes fewer instructions than the kernel's generators. */
static u32 random_bits(struct timer_cpu *tc)
{
	tc->random = tc->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return tc->random >> 32;
}

/*
 * Set the timer's expiry to a random moment in the period that follows the one beginning at
 * tc->begin. If that following period is already over, use the period that contains @now. The
 * expiry may be in the past. The timer must not be queued. Return the number of skipped periods.
 */
static u64 next_moment(struct timer_cpu *tc, ktime_t now)
{
	u64 left_out = 0;
	s64 late;

	tc->begin = ktime_add_ns(tc->begin, tc->period);
	late = ktime_to_ns(ktime_sub(now, tc->begin));
	if (unlikely(late >= (s64)tc->period)) {
		left_out = div64_u64(late, tc->period);
		tc->begin = ktime_add_ns(tc->begin, left_out * tc->period);
	}
	hrtimer_set_expires(&tc->timer, ktime_add_ns(tc->begin,
					mul_u64_u32_shr(tc->period, random_bits(tc), 32)));
	return left_out;
}

static enum hrtimer_restart sampler_fired(struct hrtimer *timer)
{
	struct timer_cpu *tc = container_of(timer, struct timer_cpu, timer);
	struct oprofile_sampling *s = tc->s;
	struct pt_regs *regs = get_irq_regs();
	u64 start = oprofile_governor_begin(&tc->governor), left_out;
	ktime_t now;

	/* The kernel has migrated the timer to this CPU: the timer's CPU went offline between
	 * two hotplug states, so the module's offline callback was not called. */
	if (unlikely(tc != this_cpu_ptr(backend_of(s)->cpu)))
		return HRTIMER_NORESTART;
	if (likely(regs)) {
		oprofile_add_sample(s, regs, 0, oprofile_amount());
		if (unlikely(s->offcpu->latency.on))
			oprofile_latency_sample(&s->offcpu->latency, s, regs, random_bits(tc));
	}
	now = hrtimer_cb_get_time(timer);
	left_out = next_moment(tc, now);
	if (unlikely(left_out))
		this_cpu_add(s->cpu->stats.period_missed, left_out);
	oprofile_simulate_stolen_time();
	if (start)
		this_cpu_add(s->cpu->spent,
			     oprofile_governor_interrupt(&tc->governor, (get_cycles() - start) *
										INTERRUPT_COST));
	if (unlikely(ktime_to_ns(now) - tc->governor.window_ns > OPROFILE_GOVERNOR_WINDOW)) {
		oprofile_governor_window(&tc->governor, ktime_to_ns(now));
		WRITE_ONCE(tc->period, min_t(u64, (u64)backend_of(s)->period << tc->governor.shift,
					     NSEC_PER_SEC));
	}
	return HRTIMER_RESTART;
}

static void sampler_start_cpu(struct oprofile_sampling *s)
{
	struct timer_backend *b = backend_of(s);
	struct timer_cpu *tc = this_cpu_ptr(b->cpu);
	ktime_t now = ktime_get();

	WRITE_ONCE(tc->period, b->period);
	oprofile_governor_start(&tc->governor, &s->budget, ktime_to_ns(now));
	tc->idle_since = 0;
	tc->running = true;
	tc->begin = ktime_sub_ns(now, tc->period);
	next_moment(tc, now);
	hrtimer_start_expires(&tc->timer, HRTIMER_MODE_ABS_PINNED_HARD);
}

static void count_idle(struct oprofile_sampling *s, struct timer_cpu *tc, ktime_t now)
{
	if (!tc->idle_since)
		return;
	this_cpu_add(s->cpu->stats.idle_ns, ktime_to_ns(ktime_sub(now, tc->idle_since)));
	WRITE_ONCE(tc->idle_since, 0);
}

/* Stop sampling on this CPU. The IPI that calls this function may arrive while the CPU is idle, so
 * add the idle time up to now to the statistics. */
static void sampler_stop_cpu(struct oprofile_sampling *s)
{
	struct timer_cpu *tc = this_cpu_ptr(backend_of(s)->cpu);

	count_idle(s, tc, ktime_get());
	tc->running = false;
	if (likely(!forget_timer))
		/* the timer's handler cannot be running, because it would run on this CPU */
		hrtimer_try_to_cancel(&tc->timer);
}

/* Cancel the timer of the dead CPU. If the timer was queued, the kernel has migrated it to another
 * CPU. */
static void sampler_cpu_dead(struct oprofile_sampling *s, unsigned int cpu)
{
	struct timer_cpu *tc = per_cpu_ptr(backend_of(s)->cpu, cpu);

	tc->running = false;
	WRITE_ONCE(tc->idle_since, 0);
	hrtimer_cancel(&tc->timer);
}

/* Interrupts are off, so no IPI can stop sampling between the check of `running` and the start of
 * the timer. */
static void on_idle_change(struct oprofile_sampling *s, struct timer_cpu *tc, bool idle)
{
	ktime_t now;

	lockdep_assert_irqs_disabled();
	if (!tc->running)
		return;
	oprofile_widen_race();
	now = ktime_get();
	if (idle) {
		WRITE_ONCE(tc->idle_since, now);
		hrtimer_try_to_cancel(&tc->timer);
		return;
	}
	count_idle(s, tc, now);
	if (!hrtimer_is_queued(&tc->timer)) {
		/* Skip the periods that passed while the CPU was idle. */
		while (hrtimer_get_expires(&tc->timer) <= now)
			next_moment(tc, now);
		hrtimer_start_expires(&tc->timer, HRTIMER_MODE_ABS_PINNED_HARD);
	}
}

/* Probe of the tracepoint cpu_idle, which fires when the CPU enters or leaves idle. Some idle loops
 * fire it with interrupts enabled. */
static void on_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	struct oprofile_sampling *s = data;
	unsigned long flags;

	local_irq_save(flags);
	on_idle_change(s, this_cpu_ptr(backend_of(s)->cpu), state != PWR_EVENT_EXIT);
	local_irq_restore(flags);
}

static u64 sampler_period(struct oprofile_sampling *s, int cpu)
{
	return READ_ONCE(per_cpu_ptr(backend_of(s)->cpu, cpu)->period);
}

static u64 sampler_idle_now(struct oprofile_sampling *s, int cpu)
{
	ktime_t since = READ_ONCE(per_cpu_ptr(backend_of(s)->cpu, cpu)->idle_since);

	return since ? ktime_to_ns(ktime_sub(ktime_get(), since)) : 0;
}

static int sampler_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	static const struct oprofilefs_setting count = {
		.name = "count", .min = MIN_PERIOD, .max = MAX_PERIOD,
	};
	struct dentry *dir = oprofilefs_mkdir(root, "timer");

	if (!dir)
		return -ENOMEM;
	return oprofilefs_create_setting(s, dir, &count, &backend_of(s)->period);
}

static int sampler_setup(struct oprofile_sampling *s)
{
	return register_trace_cpu_idle(on_cpu_idle, s);
}

/* End a session, after sampling has stopped on all CPUs. A timer that is still queued is a bug:
 * cancel it, so that it cannot crash the machine, and warn. */
static void sampler_shutdown(struct oprofile_sampling *s)
{
	int cpu;

	unregister_trace_cpu_idle(on_cpu_idle, s);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		WARN_ONCE(hrtimer_cancel(&per_cpu_ptr(backend_of(s)->cpu, cpu)->timer),
			  "oprofile: CPU %d was sampled after the stop\n", cpu);
}

static int sampler_init(struct oprofile_sampling *s)
{
	struct timer_backend *b;
	int cpu;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->cpu = alloc_percpu(struct timer_cpu);
	if (!b->cpu) {
		kfree(b);
		return -ENOMEM;
	}
	b->period = DEFAULT_PERIOD;
	for_each_possible_cpu(cpu) {
		struct timer_cpu *tc = per_cpu_ptr(b->cpu, cpu);

		tc->s = s;
		tc->random = get_random_u64();
		hrtimer_setup(&tc->timer, sampler_fired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
	s->timer = b;
	return 0;
}

static void sampler_exit(struct oprofile_sampling *s)
{
	struct timer_backend *b = backend_of(s);

	if (!b)
		return;
	free_percpu(b->cpu);
	kfree(b);
	s->timer = NULL;
}

static const char *sampler_cpu_type(struct oprofile_sampling *s)
{
	return "timer";
}

static unsigned int sampler_nr_counters(struct oprofile_sampling *s)
{
	return 0;
}

const struct oprofile_backend oprofile_backend_timer = {
	.name = "timer",
	.cpu_type = sampler_cpu_type,
	.nr_counters = sampler_nr_counters,
	.init = sampler_init,
	.exit = sampler_exit,
	.create_files = sampler_create_files,
	.setup = sampler_setup,
	.shutdown = sampler_shutdown,
	.cpu_dead = sampler_cpu_dead,
	.start_cpu = sampler_start_cpu,
	.stop_cpu = sampler_stop_cpu,
	.period = sampler_period,
	.idle_now = sampler_idle_now,
};
