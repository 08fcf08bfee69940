// SPDX-License-Identifier: GPL-2.0
/*
 * time_slice.c -- groups take turns.
 */
#include "time_slice.h"

#include <linux/cpumask.h>
#include <linux/ktime.h>

#include "compat/compat.h"
#include "session.h"

/* The group after @group that has events; @group when it is the only one. */
static u32 next_group(const struct oprofile_session *s, u32 group)
{
	u32 i, j;

	for (i = 1; i < OPROFILE_MAX_EVENTS; i++) {
		u32 next = (group + i) % OPROFILE_MAX_EVENTS;

		for (j = 0; j < OPROFILE_MAX_EVENTS; j++) {
			if (s->event[j].enabled && s->event[j].group == next)
				return next;
		}
	}
	return group;
}

static void end_turn(struct cpu_buffer *cb, u64 now)
{
	struct oprofile_time_slice *ts = &cb->slice;
	u64 had = now - ts->since;

	WRITE_ONCE(ts->sampling_ns, ts->sampling_ns + had);
	WRITE_ONCE(ts->group_ns[cb->group], ts->group_ns[cb->group] + had);
	WRITE_ONCE(ts->since, now);
}

static ktime_t slice_length(const struct oprofile_session *s)
{
	return ms_to_ktime(s->settings.time_slice);
}

static enum hrtimer_restart turn_is_over(struct hrtimer *timer)
{
	struct oprofile_time_slice *ts = container_of(timer, struct oprofile_time_slice, timer);
	struct cpu_buffer *cb = container_of(ts, struct cpu_buffer, slice);
	struct oprofile_session *s = cb->s;

	if (unlikely(cb != this_cpu_ptr(s->cpu)))	/* its CPU was taken down without a word to us */
		return HRTIMER_NORESTART;
	end_turn(cb, ktime_get_mono_fast_ns());
	WRITE_ONCE(cb->group, next_group(s, cb->group));
	s->backend->switch_group(s);
	hrtimer_forward_now(timer, slice_length(s));
	return HRTIMER_RESTART;
}

void oprofile_time_slice_init(struct oprofile_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu_ptr(s->cpu, cpu)->slice.timer, turn_is_over,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

void oprofile_time_slice_start(struct oprofile_session *s)
{
	struct cpu_buffer *cb = this_cpu_ptr(s->cpu);

	lockdep_assert_irqs_disabled();
	if (cb->slice.since)
		return;
	cb->group = next_group(s, OPROFILE_MAX_EVENTS - 1);
	WRITE_ONCE(cb->slice.since, ktime_get_mono_fast_ns());
	if (s->backend->switch_group && next_group(s, cb->group) != cb->group)
		hrtimer_start(&cb->slice.timer, slice_length(s), HRTIMER_MODE_REL_PINNED_HARD);
}

void oprofile_time_slice_stop(struct oprofile_session *s)
{
	struct cpu_buffer *cb = this_cpu_ptr(s->cpu);

	lockdep_assert_irqs_disabled();
	if (!cb->slice.since)
		return;
	hrtimer_try_to_cancel(&cb->slice.timer);	/* it cannot be running: this is its CPU */
	end_turn(cb, ktime_get_mono_fast_ns());
	WRITE_ONCE(cb->slice.since, 0);
}

void oprofile_time_slice_gone(struct cpu_buffer *cb)
{
	hrtimer_cancel(&cb->slice.timer);
	WRITE_ONCE(cb->slice.since, 0);
}

void oprofile_time_slice_reset(struct oprofile_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_buffer *cb = per_cpu_ptr(s->cpu, cpu);

		cb->slice.sampling_ns = 0;
		memset(cb->slice.group_ns, 0, sizeof(cb->slice.group_ns));
		memset(cb->counted, 0, sizeof(cb->counted));
	}
}

/* The CPU may be at a change of turns: then a slice is missed, or counted for two, for this once. */
void oprofile_time_slice_time(struct oprofile_session *s, int cpu, unsigned int event,
			      struct oprofile_event_time *time)
{
	const struct cpu_buffer *cb = per_cpu_ptr(s->cpu, cpu);
	unsigned long group = s->event[event].group;
	u64 since = READ_ONCE(cb->slice.since), turn = 0;

	if (since)
		turn = ktime_get_mono_fast_ns() - since;
	time->enabled_ns = READ_ONCE(cb->slice.sampling_ns) + turn;
	time->running_ns = READ_ONCE(cb->slice.group_ns[group]);
	if (READ_ONCE(cb->group) == group)
		time->running_ns += turn;
}
