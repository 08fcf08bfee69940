/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h -- the perf_events of one CPU: samplers, which record samples; events for notices
 * (fork, exec, mmap, exit records); events that record context switches; and their rings.
 *
 * Each CPU has a ring for each kind of event. So many samples cannot displace the notices, which
 * are needed to attribute the samples. The ring determines the CPU of a sample, so a
 * sample contains only address, task and time.
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

/*
 * Times and counts of an event. .enabled: time for which the event was enabled; .running: time for
 * which it was counting. .happened: count of the event on one CPU. .due: number of samples that
 * should have been taken on all CPUs, which is the sum of the number of complete periods on each
 * CPU. .lost: number of samples for which a ring had no room.
 */
struct opd_perf_times {
	/* time for which the event was enabled, and for which it was counting, in ns */
	uint64_t enabled, running;
	uint64_t happened, due, lost;
};

struct opd_perf_setup {
	const struct op_event_spec *events;
	size_t nr_events;
	/* the PMUs, and the code of each event on each CPU */
	const struct op_perf_pmus *pmus;
	/* tasks that are sampled together with their children (libop/perf/tasks.h) */
	const pid_t *pids;
	size_t nr_pids;			/* length of .pids; 0: sample the whole machine */
	/* the first .nr_named tasks of .pids must exist; the others may have ended */
	size_t nr_named;
	/* number of bytes of the stack to copy into each sample; 0: do not copy stacks */
	unsigned int stack;
	bool exclude_kernel;		/* the user may not sample the kernel */
	/* samples contain the id of the task's control group, and notices announce new groups
	 * (Linux 5.7) */
	bool units;
	/* sizes of the rings in bytes, powers of two; .switch_ring is 0 if no event samples
	 * waits */
	size_t sample_ring, notice_ring, switch_ring;
	/* The features of this kernel below are detected by opd_perf_setup_probe(). */
	/* read() returns the number of lost samples (Linux 6.0) */
	bool has_lost_format;
	/* KSYMBOL records report added and removed kernel code (Linux 5.1) */
	bool has_ksymbol;
	/* the kernel rejects events that also count in virtual machines */
	bool outside_guests;
};

/* The open events of a CPU. The first sampler and the first event for notices own the rings; all
 * other events write to these rings. */
struct opd_perf_cpu {
	int cpu;
	/* the events belong to tasks, and count while one of these tasks runs on this CPU */
	bool by_task;
	/* timer periods are slightly too long now; false: slightly too short */
	bool slow;
	/* descriptors of the samplers: all events of the first task, then of the second task, and
	 * so on */
	int *fds;
	uint64_t *ids;			/* kernel's id of each sampler */
	/* number of lost samples of each sampler, as last read from the kernel */
	uint64_t *lost;
	/* times and counts of each sampler, as last read from the kernel */
	struct opd_perf_times *times;
	/* index of each sampler's configured event; -1: the sampler only owns the ring */
	int *events;
	size_t nr_fds, nr_events;
	/* descriptors of the events that record fork, exec, mmap and exit, one per task */
	int *notice_fds;
	size_t nr_notice_fds;
	/* descriptors of the events that record context switches, one per task, and the number of
	 * lost records of each as last read from the kernel; only if waits are sampled */
	int *switch_fds;
	uint64_t *lost_switches;
	size_t nr_switch_fds;
	struct opd_perf_ring samples, notices, switches;
	uint64_t last_switch;		/* time of the last record of .switches; 0: none yet */
	uint64_t seen_head;		/* head of the sample ring when the CPU was last checked */
	/* .last_exit_pid and .last_exit_tid, the last task that exited on this CPU, are valid */
	bool last_exit_known;
	int32_t last_exit_pid, last_exit_tid;
};

/* Detect the features of the kernel and the permissions of the user. Return 0, or a negative errno
 * with the cause and the remedy in @error. */
int opd_perf_setup_probe(struct opd_perf_setup *setup, struct op_reason *error);

/* Open all events of @cpu. The kernel then records fork, exec, mmap and exit immediately, and
 * samples after opd_perf_cpu_enable(). Return 0 or a negative errno; -ENODEV: the CPU is not
 * online. */
int opd_perf_cpu_open(struct opd_perf_cpu **ret, const struct opd_perf_setup *setup, int cpu,
		      struct op_reason *error);
void opd_perf_cpu_close(struct opd_perf_cpu *c);	/* @c may be NULL. */

int opd_perf_cpu_enable(struct opd_perf_cpu *c, bool on);

/*
 * Change the periods of the CPU's timers from 1/256 too long to 1/256 too short, or back. Reason:
 * with a constant period that divides the scheduler's tick, such as a millisecond, all samples
 * would hit the same phases of the tick. A program that starts at a tick and ends before the next
 * sample would never be sampled. Over two intervals of equal length, the mean period is the
 * configured one. A change costs half a period on average. Return 0 or a negative errno.
 */
int opd_perf_cpu_turn(struct opd_perf_cpu *c, const struct opd_perf_setup *setup);

/*
 * Ask the kernel for the number of samples that were lost on the CPU. Return how many were lost
 * since the last call, or 0 if the kernel does not report it. Add the events' times since the last
 * call to @times, which has an element for each event. The call waits until a sample that is being
 * written is complete.
 *
 * @nr_cpus: number of CPUs with open events. The kernel counts the event of a task as enabled on
 * all of them while the task runs, so each CPU adds 1/@nr_cpus of this time. The event is counting
 * only on the CPU on which the task runs.
 */
uint64_t opd_perf_cpu_read(struct opd_perf_cpu *c, const struct opd_perf_setup *setup,
			   size_t nr_cpus, struct opd_perf_times *times);

/* Return the number of records of context switches that the kernel has lost on the CPU since the
 * last call, or 0 if the kernel does not report it. */
uint64_t opd_perf_cpu_read_switches(struct opd_perf_cpu *c, const struct opd_perf_setup *setup);

/* Return true if the samplers of an enabled CPU still run. When a CPU goes offline, the kernel ends
 * its events without a message, and does not restart them when the CPU comes back. The check sends
 * an interrupt to the CPU. */
bool opd_perf_cpu_is_alive(struct opd_perf_cpu *c);

/* Return the index in setup->events of the event with the kernel's id @id; -1: unknown id. */
int opd_perf_cpu_event(const struct opd_perf_cpu *c, uint64_t id);

#endif
