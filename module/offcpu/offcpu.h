/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/offcpu.h -- samples of the time that threads spend off their CPUs: the event OFFCPU.
 *
 * A probe of the tracepoint sched_switch notes when a thread leaves its CPU, and why. When the
 * thread returns, the probe adds the time to the thread's account (threads.h). If samples are due,
 * it queues an irq_work, which fires as soon as the switch is complete and interrupts are on again.
 * The thread is then the current task, so the sample is taken as in a timer's interrupt.
 *
 * A dump and the stop also take samples of the waits that go on, for their time so far (ongoing.h).
 *
 * The probe is attached only while sampling is on and at least one reason has an event. A wait that
 * began before the start is not counted, because its begin is not known. A thread that is created
 * waits for its first CPU from its creation on.
 */
#ifndef OPROFILE_OFFCPU_OFFCPU_H
#define OPROFILE_OFFCPU_OFFCPU_H

#include <linux/ktime.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "offcpu/latency.h"
#include "offcpu/tasks.h"
#include "offcpu/threads.h"
#include "offcpu/wakers.h"
#include "uapi/offcpu.h"

struct dentry;
struct oprofile_offcpu_cpu;
struct oprofile_sampling;
struct tracepoint;

struct oprofile_offcpu {
	/* settings; protected by the sampling's lock, and unchanged while `buffer` is open */
	unsigned long period;		/* time in ns for which one sample stands */
	unsigned long nr_threads;	/* number of threads for which the table has room */
	/* addresses of the kernel's section of functions that wait on behalf of their callers:
	 * schedule(), mutex_lock(), ...; 0: unknown */
	unsigned long scheduler_start, scheduler_end;
	/* number of the event of each reason */
	unsigned long event[OPROFILE_OFFCPU_MAX_REASON + 1];

	u64 began;		/* time of the start, as in task_struct.start_time */
	struct oprofile_offcpu_cpu __percpu *cpu;
	struct oprofile_offcpu_threads threads;
	struct oprofile_latency latency;
	struct oprofile_wakers wakers;
	/* the tracepoint that has the probe; NULL: the probe is not attached */
	struct tracepoint *tracepoint;
	/* number + 1 of the next entry of the table whose wait a dump samples; 0: no dump is
	 * incomplete (ongoing.h) */
	size_t next;
};

int oprofile_offcpu_init(struct oprofile_offcpu *o, struct oprofile_sampling *s);
void oprofile_offcpu_exit(struct oprofile_offcpu *o);
int oprofile_offcpu_create_files(struct oprofile_sampling *s, struct dentry *root);

/* Begin and end the sampling of waits, if any reason has an event. Called with the sampling's lock
 * held: oprofile_offcpu_start() after the CPUs have started, oprofile_offcpu_stop() before they
 * stop. oprofile_offcpu_stop() is idempotent. */
int oprofile_offcpu_start(struct oprofile_sampling *s);
void oprofile_offcpu_stop(struct oprofile_sampling *s);

#endif
