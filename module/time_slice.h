/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_slice.h -- time slices, by which groups of events are multiplexed on the counters of a CPU.
 * Accounts the time for which each group was counted.
 *
 * Used with backends that have switch_group(). Each CPU switches groups by its own timer and skips
 * groups without events. With a single group the timer does not run.
 */
#ifndef OPROFILE_TIME_SLICE_H
#define OPROFILE_TIME_SLICE_H

struct oprofile_cpu;
struct oprofile_event_time;
struct oprofile_sampling;

/* Set up the timers, at module load. */
void oprofile_time_slice_init(struct oprofile_sampling *s);

/* Start and stop the time slices of the current CPU: called with interrupts off, before the
 * backend's start_cpu() and after its stop_cpu(). Both are idempotent. */
void oprofile_time_slice_start(struct oprofile_sampling *s);
void oprofile_time_slice_stop(struct oprofile_sampling *s);
/* End the slices of a CPU that went offline without a call of the offline callback. Called on
 * another CPU. The CPU's last slice is not accounted, because the time of its end is unknown. */
void oprofile_time_slice_cpu_dead(struct oprofile_cpu *pcpu);

/* Reset the accounted times of all CPUs to 0. No CPU may be sampling. */
void oprofile_time_slice_reset(struct oprofile_sampling *s);

/* Set .enabled_ns of *@time to the time for which @cpu has been sampled since the last start,
 * and .running_ns to the part of that time for which the group of @event was counted. */
void oprofile_time_slice_time(struct oprofile_sampling *s, int cpu, unsigned int event,
			      struct oprofile_event_time *time);

#endif
