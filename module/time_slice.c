// SPDX-License-Identifier: GPL-2.0
/* time_slice.c -- the timer that switches groups of events, and measurement of each group's
 * time. */
#include "time_slice.h"

#include <linux/cpumask.h>
#include <linux/ktime.h>

#include "backend.h"
#include "compat/compat.h"
#include "sampling.h"

/* Return the next group after @group that has events; @group if no other group has events. */
static u32 next_group(const struct oprofile_sampling *s, u32 group)
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

static void end_slice(struct oprofile_cpu *pcpu, u64 now)
{
	struct oprofile_time_slice *ts = &pcpu->slice;
	u64 had = now - ts->since;

	WRITE_ONCE(ts->sampling_ns, ts->sampling_ns + had);
	WRITE_ONCE(ts->group_ns[pcpu->group], ts->group_ns[pcpu->group] + had);
	WRITE_ONCE(ts->since, now);
}

static ktime_t slice_length(const struct oprofile_sampling *s)
{
	return ms_to_ktime(s->settings.time_slice);
}

static enum hrtimer_restart on_slice_end(struct hrtimer *timer)
{
	struct oprofile_time_slice *ts = container_of(timer, struct oprofile_time_slice, timer);
	struct oprofile_cpu *pcpu = container_of(ts, struct oprofile_cpu, slice);
	struct oprofile_sampling *s = pcpu->s;

	/* The kernel has migrated the timer to this CPU: the timer's own CPU went offline
	 * between two hotplug states. */
	if (unlikely(pcpu != this_cpu_ptr(s->cpu)))
		return HRTIMER_NORESTART;
	end_slice(pcpu, ktime_get_mono_fast_ns());
	WRITE_ONCE(pcpu->group, next_group(s, pcpu->group));
	s->backend->switch_group(s);
	hrtimer_forward_now(timer, slice_length(s));
	return HRTIMER_RESTART;
}

void oprofile_time_slice_init(struct oprofile_sampling *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu_ptr(s->cpu, cpu)->slice.timer, on_slice_end, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
}

void oprofile_time_slice_start(struct oprofile_sampling *s)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	lockdep_assert_irqs_disabled();
	if (pcpu->slice.since)
		return;
	pcpu->group = next_group(s, OPROFILE_MAX_EVENTS - 1);
	WRITE_ONCE(pcpu->slice.since, ktime_get_mono_fast_ns());
	if (s->backend->switch_group && next_group(s, pcpu->group) != pcpu->group)
		hrtimer_start(&pcpu->slice.timer, slice_length(s), HRTIMER_MODE_REL_PINNED_HARD);
}

void oprofile_time_slice_stop(struct oprofile_sampling *s)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	lockdep_assert_irqs_disabled();
	if (!pcpu->slice.since)
		return;
	/* the timer's handler cannot be running, because it would run on this CPU */
	hrtimer_try_to_cancel(&pcpu->slice.timer);
	end_slice(pcpu, ktime_get_mono_fast_ns());
	WRITE_ONCE(pcpu->slice.since, 0);
}

void oprofile_time_slice_cpu_dead(struct oprofile_cpu *pcpu)
{
	hrtimer_cancel(&pcpu->slice.timer);
	WRITE_ONCE(pcpu->slice.since, 0);
}

void oprofile_time_slice_reset(struct oprofile_sampling *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		pcpu->slice.sampling_ns = 0;
		memset(pcpu->slice.group_ns, 0, sizeof(pcpu->slice.group_ns));
		memset(pcpu->counted, 0, sizeof(pcpu->counted));
	}
}

/* If the CPU switches groups during this call, the result may omit the ended time slice, or count
 * it for both groups. */
void oprofile_time_slice_time(struct oprofile_sampling *s, int cpu, unsigned int event,
			      struct oprofile_event_time *time)
{
	const struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);
	unsigned long group = s->event[event].group;
	u64 since = READ_ONCE(pcpu->slice.since), turn = 0;

	if (since)
		turn = ktime_get_mono_fast_ns() - since;
	time->enabled_ns = READ_ONCE(pcpu->slice.sampling_ns) + turn;
	time->running_ns = READ_ONCE(pcpu->slice.group_ns[group]);
	if (READ_ONCE(pcpu->group) == group)
		time->running_ns += turn;
}
