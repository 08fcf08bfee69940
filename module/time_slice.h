/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_slice.h -- groups of events that take turns on the counters of a CPU, and the time they had.
 *
 * For backends with switch_group(). Each CPU changes by its own timer; groups without events are
 * left out. With one group there is no timer.
 */
#ifndef OPROFILE_TIME_SLICE_H
#define OPROFILE_TIME_SLICE_H

struct oprofile_cpu;
struct oprofile_event_time;
struct oprofile_sampling;

/* Module load. */
void oprofile_time_slice_init(struct oprofile_sampling *s);

/* On the CPU itself, interrupts off: before start_cpu(), after stop_cpu(). */
void oprofile_time_slice_start(struct oprofile_sampling *s);
void oprofile_time_slice_stop(struct oprofile_sampling *s);
/* From another CPU: that of @pcpu is gone, nobody knows since when. Its last turn is in no
 * account. */
void oprofile_time_slice_gone(struct oprofile_cpu *pcpu);

/* Forgets the times of all CPUs; none is sampling. */
void oprofile_time_slice_reset(struct oprofile_sampling *s);

/* Since the last start: what @cpu sampled, and what the group of @event had of that. */
void oprofile_time_slice_time(struct oprofile_sampling *s, int cpu, unsigned int event,
			      struct oprofile_event_time *time);

#endif
