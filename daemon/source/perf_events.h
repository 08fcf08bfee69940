/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h -- opening perf_events on a CPU: the samplers, the notices, and their rings.
 *
 * Each CPU has two rings. Samples have one of their own, so that a sample carries nothing but
 * address, task and time, and a flood of samples cannot push out the notices (fork, exec, mmap,
 * exit) that give them their meaning. The CPU is told by the ring.
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
struct op_perf_pmus;		/* libop/perf/pmus.h */

/* How long an event was wanted, and how long it was counted. */
struct opd_perf_times {
	uint64_t enabled, running;	/* ns */
};

struct opd_perf_setup {
	const struct op_event_spec *events;
	size_t nr_events;
	const struct op_perf_pmus *pmus;	/* their codes */
	const pid_t *pids;		/* only these tasks and what they start (libop/perf/tasks.h) */
	size_t nr_pids;			/* 0: the whole machine */
	size_t nr_named;		/* of them, from the first on, those that have to be there */
	unsigned int stack;		/* bytes of it that come with a sample; 0: no stacks at all */
	bool exclude_kernel;		/* we may not look at the kernel */
	size_t sample_ring, notice_ring;	/* bytes, powers of two */
	/* What this kernel can do, found out by opd_perf_setup_probe(). */
	bool has_lost_format;		/* read() tells how many samples were lost; 6.0 */
	bool has_ksymbol;		/* 5.1 */
	bool outside_guests;		/* the kernel refuses events that count in virtual machines too */
};

/* The first sampler and the first of the notices own the rings, the others write to them. */
struct opd_perf_cpu {
	int cpu;
	bool by_task;			/* events of single tasks: they count while one of these runs here */
	bool slow;			/* timers run a little too slow now, else a little too fast */
	int *fds;			/* samplers: all events of the first process, and so on; */
	uint64_t *ids;			/* the kernel's for each */
	uint64_t *lost;			/* samples lost, of each, as last read */
	struct opd_perf_times *times;	/* of each, as last read */
	int *events;			/* which event each is, -1: none, it only owns the ring */
	size_t nr_fds, nr_events;
	int *notice_fds;		/* for each process */
	size_t nr_notice_fds;
	struct opd_perf_ring samples, notices;
	uint64_t seen_head;		/* of samples, the last time somebody looked at the CPU */
	bool last_exit_known;		/* the task that exited last here: */
	int32_t last_exit_pid, last_exit_tid;
};

/*
 * Finds out what the kernel can do and what we may. On failure *@why is a sentence telling the
 * cause and the way out, allocated for good.
 */
int opd_perf_setup_probe(struct opd_perf_setup *setup, struct op_reason *why);

/*
 * Opens everything on @cpu: notices flow from now on, samplers wait for opd_perf_cpu_enable().
 * -ENODEV: the CPU is not online.
 */
int opd_perf_cpu_open(struct opd_perf_cpu **ret, const struct opd_perf_setup *setup, int cpu,
		      struct op_reason *why);
void opd_perf_cpu_close(struct opd_perf_cpu *c);	/* takes NULL */

int opd_perf_cpu_enable(struct opd_perf_cpu *c, bool on);

/*
 * Timers of a whole CPU run 1/256 too fast and too slow in turns, which this changes: a period that divides the scheduler's
 * tick, as a millisecond does, would always hit the same moments between two ticks, and a program that is started by
 * a tick and gone before the next sample would never be seen. Over two turns of one length the period is the one
 * asked for; a turn takes half a period from the time that is sampled, on average.
 */
int opd_perf_cpu_turn(struct opd_perf_cpu *c, const struct opd_perf_setup *setup);

/*
 * Asks the kernel how many samples were lost; returns how many since the last time, 0 when it cannot
 * tell. Adds to @times, one for each event, the time since then. Waits until a sample being written
 * has been written.
 */
uint64_t opd_perf_cpu_read(struct opd_perf_cpu *c, const struct opd_perf_setup *setup,
			   struct opd_perf_times *times);

/*
 * Whether the samplers of an enabled CPU still run. A CPU that goes offline takes its events with
 * it without a word, and they do not come back with it. Interrupts the CPU.
 */
bool opd_perf_cpu_is_alive(struct opd_perf_cpu *c);

/* The event of a sample, an index into setup->events; -1: none. */
int opd_perf_cpu_event(const struct opd_perf_cpu *c, uint64_t id);

#endif
