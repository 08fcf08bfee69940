/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h -- perf_events of one CPU: the samplers, which record samples, the notices (fork,
 * exec, mmap, exit), and their rings.
 *
 * Each CPU has two rings. Samples have their own ring, so that a sample contains only address, task
 * and time, and many samples cannot displace the notices that are needed to attribute them. The
 * ring identifies the CPU.
 */
#ifndef OPD_PERF_EVENTS_H
#define OPD_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/source/perf_ring.h"
#include "libop/base/reason.h"

struct op_event_spec;
struct op_perf_pmus;		/* see libop/perf/pmus.h */

/* Times of an event: for how long it was enabled, and for how long it was counting; and its
 * numbers: how often it happened on a CPU, how many samples were due for it on all CPUs, and how
 * many samples a ring had no room for. Each CPU counts its own period, so the samples that were due
 * are the sum of the whole periods of each CPU. */
struct opd_perf_times {
	/* times that read() returns with each count, in nanoseconds */
	uint64_t enabled, running;
	uint64_t happened, due, lost;
};

struct opd_perf_setup {
	const struct op_event_spec *events;
	size_t nr_events;
	const struct op_perf_pmus *pmus;	/* the PMUs, with the events' codes on each CPU */
	/* tasks to sample, together with their children (libop/perf/tasks.h); see .nr_pids */
	const pid_t *pids;
	size_t nr_pids;			/* number of tasks in .pids; 0: sample the whole machine */
	/* number of tasks at the start of .pids that must exist; later tasks in .pids may have
	 * ended */
	size_t nr_named;
	/* number of bytes that are copied from the stack into each sample; 0: no stacks */
	unsigned int stack;
	bool exclude_kernel;		/* the user has no permission to sample the kernel */
	size_t sample_ring, notice_ring;	/* sizes of the rings in bytes, powers of two */
	/* Features of this kernel, set by opd_perf_setup_probe(). */
	/* Linux 6.0 or later: read() returns the number of lost samples */
	bool has_lost_format;
	/* Linux 5.1 or later: the kernel reports kernel code that is added or removed */
	bool has_ksymbol;
	/* the kernel refuses events that also count in virtual machines */
	bool outside_guests;
};

/* The open events of a CPU. The first sampler and the first notices' event own the rings; all
 * others write to these rings. */
struct opd_perf_cpu {
	int cpu;
	/* the events belong to single tasks, and count while one of these tasks runs on this CPU */
	bool by_task;
	/* timers run slightly too slow now; if false, slightly too fast */
	bool slow;
	/* descriptors of the events for samples: all events of the first task, then those of the
	 * next task, and so on */
	int *fds;
	uint64_t *ids;			/* the kernel's id of each event in .fds */
	/* number of lost samples of each event in .fds at the last read */
	uint64_t *lost;
	struct opd_perf_times *times;	/* times of each event in .fds at the last read */
	/* for each descriptor in .fds, the index of the configured event; -1: the descriptor only
	 * owns the ring */
	int *events;
	size_t nr_fds, nr_events;
	int *notice_fds;		/* descriptors of the notices of each task */
	size_t nr_notice_fds;
	struct opd_perf_ring samples, notices;
	uint64_t seen_head;		/* head of the sample ring when the CPU was last checked */
	/* .last_exit_pid and .last_exit_tid are known: the last task that exited on this CPU */
	bool last_exit_known;
	int32_t last_exit_pid, last_exit_tid;
};

/* Determine the features of the kernel and the user's permissions. Return 0, or a negative errno
 * with the cause and the remedy in @error. */
int opd_perf_setup_probe(struct opd_perf_setup *setup, struct op_reason *error);

/*
 * Open all events on @cpu: notices are recorded from now on, samplers start with
 * opd_perf_cpu_enable(). Return 0 or a negative errno; -ENODEV: the CPU is not online.
 */
int opd_perf_cpu_open(struct opd_perf_cpu **ret, const struct opd_perf_setup *setup, int cpu,
		      struct op_reason *error);
void opd_perf_cpu_close(struct opd_perf_cpu *c);	/* @c may be NULL */

int opd_perf_cpu_enable(struct opd_perf_cpu *c, bool on);

/*
 * Change the speed of the CPU's timers. Timers of a whole CPU alternately run 1/256 too fast and
 * too slow. With a constant period that divides the scheduler's tick, like a millisecond, samples
 * would always hit the same moments between two ticks, and a program that starts at a tick and ends
 * before the next sample would never be seen. Over two intervals of equal length the mean period is
 * the configured period. A change costs half a period of the sampled time, on average. Return 0 or
 * a negative errno.
 */
int opd_perf_cpu_turn(struct opd_perf_cpu *c, const struct opd_perf_setup *setup);

/*
 * Read from the kernel how many samples were lost on the CPU. Return the number since the last
 * call, or 0 if the kernel does not report it. Add the times since the last call to @times, which
 * has an element for each event. Waits until a sample that is being written is complete.
 *
 * @nr_cpus: number of CPUs with open events. An event of a task is enabled on each of them while
 * the task runs on any CPU, so each CPU adds its share of this time. The event counts only on the
 * CPU on which the task runs.
 */
uint64_t opd_perf_cpu_read(struct opd_perf_cpu *c, const struct opd_perf_setup *setup,
			   size_t nr_cpus, struct opd_perf_times *times);

/* Return whether the samplers of an enabled CPU still run. When a CPU goes offline, its events end
 * without a report, and they do not start again when the CPU returns. Interrupts the CPU. */
bool opd_perf_cpu_is_alive(struct opd_perf_cpu *c);

/* Return the event of the sample with the kernel's event id @id, as an index into setup->events;
 * -1: unknown. */
int opd_perf_cpu_event(const struct opd_perf_cpu *c, uint64_t id);

#endif
