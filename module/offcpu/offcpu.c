// SPDX-License-Identifier: GPL-2.0
/* offcpu/offcpu.c -- the probe of context switches, and the samples of waits. */
#include "offcpu/offcpu.h"

#include <asm/syscall.h>
#include <linux/compat.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/jobctl.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "handler.h"
#include "offcpu/reason.h"
#include "oprofilefs.h"
#include "payer.h"
#include "paths/kernel_stack.h"
#include "resolve.h"
#include "sampling.h"
#include "segment.h"

#define MIN_PERIOD	50000		/* the limits are those of the timer's period */
#define MAX_PERIOD	100000000
#define DEFAULT_PERIOD	1000000
#define DEFAULT_THREADS	32768
#define MAX_THREADS	(1 << 22)

struct oprofile_offcpu_cpu {
	struct irq_work work;
	struct oprofile_sampling *s;
	u64 random;		/* state of the generator of random numbers; never 0 */
	/* The samples for which .work is queued; .n == 0: none. Written with interrupts off. */
	u64 n;
	u32 event;
	const struct task_struct *task;
	/* the thread's entry, which exists at least until the next switch on this CPU */
	struct oprofile_offcpu_thread *thread;
	struct oprofile_kernel_frame frame;	/* in which the task left its CPU */
};

/*
 * Return the reason of a wait for the file whose descriptor is the first argument of the current
 * task's system call. Interrupts are off, so neither the file nor its inode is freed during this
 * call, even if another thread closes the descriptor.
 */
static unsigned int reason_of_file(const struct pt_regs *regs)
{
	const struct files_struct *files = current->files;
	const struct fdtable *table;
	const struct inode *inode;
	unsigned long args[6];
	struct file *file;

	syscall_get_arguments(current, (struct pt_regs *)regs, args);
	table = files ? rcu_dereference_raw(files->fdt) : NULL;
	if (!table || args[0] >= table->max_fds)
		return OPROFILE_OFFCPU_OTHER;
	file = rcu_dereference_raw(table->fd[array_index_nospec(args[0], table->max_fds)]);
	inode = file ? READ_ONCE(file->f_inode) : NULL;
	return inode ? oprofile_offcpu_reason_of_mode(READ_ONCE(inode->i_mode)) :
		       OPROFILE_OFFCPU_OTHER;
}

static unsigned int reason_of_futex(const struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, (struct pt_regs *)regs, args);
	return oprofile_offcpu_reason_of_futex(args[1], args[2]);
}

/* Return whether the thread waits in the freezer of its cgroup, where its state is the one of a
 * sleep. */
static bool is_in_freezer(const struct task_struct *task)
{
	return task->jobctl & JOBCTL_TRAP_FREEZE;
}

/* Return the reason of a wait of a thread of the kernel. A thread of the kernel waits for work in a
 * state that signals could end, or in TASK_IDLE. */
static unsigned int reason_of_kernel(unsigned int state)
{
	if (current->in_iowait)
		return OPROFILE_OFFCPU_IO;
	return state & (TASK_INTERRUPTIBLE | TASK_NOLOAD) ? OPROFILE_OFFCPU_SLEEP :
							    OPROFILE_OFFCPU_OTHER;
}

/* Return why the current task, whose entry is @t, leaves its CPU. @state is its state, 0 if it can
 * run. */
static unsigned int reason_of(struct oprofile_offcpu_thread *t, unsigned int state)
{
	const struct pt_regs *regs;
	unsigned int reason;
	int nr;

	if (!state)
		return OPROFILE_OFFCPU_RUNQUEUE;
	if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_FROZEN) || is_in_freezer(current))
		return OPROFILE_OFFCPU_STOPPED;
	if (!oprofile_offcpu_has_program(current))
		return reason_of_kernel(state);
	regs = task_pt_regs(current);
	nr = syscall_get_nr(current, (struct pt_regs *)regs);
	/* without a system call, a thread can also be ended by a signal and write its core dump */
	if (nr < 0)
		return current->flags & (PF_EXITING | PF_DUMPCORE) ? OPROFILE_OFFCPU_OTHER :
								     OPROFILE_OFFCPU_FAULT;
	if (current->in_iowait)
		return OPROFILE_OFFCPU_IO;
	if (in_compat_syscall())
		return OPROFILE_OFFCPU_OTHER;	/* the table has the native numbers only */
	reason = oprofile_offcpu_reason_of_call(nr);
	if (reason == OPROFILE_OFFCPU_AS_BEFORE)
		return t->call_reason ? t->call_reason : OPROFILE_OFFCPU_OTHER;
	if (reason == OPROFILE_OFFCPU_BY_FILE)
		reason = reason_of_file(regs);
	else if (reason == OPROFILE_OFFCPU_BY_FUTEX)
		reason = reason_of_futex(regs);
	t->call_reason = reason;
	return reason;
}

static void count_rest(struct oprofile_sampling *s, const struct oprofile_offcpu_thread *t)
{
	s64 rest = oprofile_offcpu_rest(&t->account, s->offcpu->period);

	if (rest >= 0)
		this_cpu_add(s->cpu->stats.offcpu_rest_ns, rest);
	else
		this_cpu_add(s->cpu->stats.offcpu_ahead_ns, -rest);
}

/* Return the share of the user of @task. Called in a switch to or from @task, during which its
 * memory is not freed. */
static u32 share_of(const struct task_struct *task)
{
	return oprofile_share_of(oprofile_payer_of(rcu_dereference_raw(task->real_cred)),
				 OPROFILE_OFFCPU_SHARES);
}

/* Add an account for @task. Count a loss if the table or the user's share has no room. */
static struct oprofile_offcpu_thread *add(struct oprofile_sampling *s,
					  struct oprofile_offcpu_cpu *cpu,
					  const struct task_struct *task)
{
	struct oprofile_offcpu *o = s->offcpu;
	u32 random = oprofile_offcpu_random(&cpu->random) >> 32;
	struct oprofile_offcpu_thread *t;

	t = oprofile_offcpu_thread_add(&o->threads, task, share_of(task),
				       oprofile_offcpu_moment(o->period, 0, random));
	if (unlikely(!t))
		this_cpu_inc(s->cpu->stats.offcpu_lost_waits);
	return t;
}

/* Note that the current task leaves its CPU. */
static void leave(struct oprofile_sampling *s, struct oprofile_offcpu_cpu *cpu,
		  unsigned int state, u64 now)
{
	struct oprofile_offcpu_thread *t;

	t = oprofile_offcpu_thread_find(&s->offcpu->threads, current);
	if (unlikely(state & TASK_DEAD)) {
		if (t) {
			count_rest(s, t);
			oprofile_offcpu_thread_free(&s->offcpu->threads, t);
		}
		return;
	}
	if (unlikely(!t))
		t = add(s, cpu, current);
	if (unlikely(!t))
		return;
	t->reason = reason_of(t, state);
	t->random = oprofile_offcpu_random(&cpu->random);
	oprofile_wakers_leave(&s->offcpu->wakers, t);
	oprofile_offcpu_thread_leaves(t, now);
}

/* Count samples that were due, but were not taken. */
static void lose(struct oprofile_sampling *s, u64 __percpu *loss, u64 n)
{
	this_cpu_add(s->cpu->stats.sample_received, n);
	this_cpu_add(*loss, n);
}

/* If @task has not run since its creation, and was created after the start of sampling, return a
 * new account in which it could run since then. Otherwise return NULL. */
static struct oprofile_offcpu_thread *add_created(struct oprofile_sampling *s,
						  struct oprofile_offcpu_cpu *cpu,
						  const struct task_struct *task)
{
	struct oprofile_offcpu_thread *t;

	if (task->nvcsw || task->nivcsw || task->start_time < s->offcpu->began)
		return NULL;
	t = add(s, cpu, task);
	if (t) {
		t->reason = OPROFILE_OFFCPU_RUNQUEUE;
		t->random = oprofile_offcpu_random(&cpu->random);
		oprofile_offcpu_thread_leaves(t, task->start_time & ~1ULL);
	}
	return t;
}

/* Add the wait of @next, which gets the CPU, to its account. */
static void come(struct oprofile_sampling *s, struct oprofile_offcpu_cpu *cpu,
		 struct task_struct *next, u64 now)
{
	struct oprofile_offcpu *o = s->offcpu;
	const struct oprofile_cpu *pcpu;
	struct oprofile_offcpu_thread *t;
	u64 since, ns, n;

	t = oprofile_offcpu_thread_find(&o->threads, next);
	if (unlikely(!t))
		t = add_created(s, cpu, next);
	since = likely(t) ? oprofile_offcpu_thread_comes(t) : 0;
	if (unlikely(!since))
		return;
	/* the clocks of two CPUs may differ by a few ns */
	ns = now > since ? now - since : 0;
	this_cpu_add(s->cpu->stats.offcpu_ns, ns);
	n = oprofile_offcpu_wait(&t->account, ns, o->period, t->random);
	if (likely(!n))
		return;
	pcpu = this_cpu_ptr(s->cpu);
	if (o->event[t->reason] == OPROFILE_OFFCPU_NO_EVENT) {
		this_cpu_add(s->cpu->stats.offcpu_not_asked, n);
	} else if (unlikely(!pcpu->here || !READ_ONCE(pcpu->active) || pcpu->err)) {
		lose(s, &s->cpu->stats.sample_lost_offcpu_cpu, n);
	} else {
		cpu->n = n;
		cpu->event = o->event[t->reason];
		cpu->task = next;
		cpu->thread = t;
		cpu->frame = oprofile_kernel_frame_of(next);
		irq_work_queue(&cpu->work);
	}
}

/* Probe of the tracepoint sched_switch. Called with interrupts off and the run queue locked, while
 * @prev is still the current task. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct oprofile_sampling *s = data;
	struct oprofile_offcpu_cpu *cpu = this_cpu_ptr(s->offcpu->cpu);
	u64 now = oprofile_offcpu_now();

	if (unlikely(cpu->n)) {
		lose(s, &s->cpu->stats.sample_lost_offcpu_late, cpu->n);
		cpu->n = 0;
	}
	/* idle tasks, one for each CPU, have the id 0 */
	if (prev->pid)
		leave(s, cpu, preempt ? 0 : prev_state, now);
	if (next->pid)
		come(s, cpu, next, now);
	oprofile_latency_switch(&s->offcpu->latency, next);
}

/*
 * Count a wait at the place in the program that led to it. The file of a new place is found when
 * the thread returns to its program. Until then, more waits of the same system call join the sample
 * that waits for this.
 */
static void add_at_user_place(struct oprofile_sampling *s, struct oprofile_offcpu_cpu *cpu, u64 n)
{
	struct oprofile_offcpu_thread *t = cpu->thread;
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct pt_regs *regs = task_pt_regs(current);

	if (oprofile_resolve_again(t->lookup, oprofile_user_pc(regs), cpu->event, n)) {
		this_cpu_add(s->cpu->stats.sample_received, n);
		return;
	}
	pcpu->last_lookup = NULL;
	oprofile_add_sample(s, regs, cpu->event, n);
	t->lookup = pcpu->last_lookup;
}

/* The irq_work: take the samples of the wait that has ended. */
static void on_return(struct irq_work *work)
{
	struct oprofile_offcpu_cpu *cpu = container_of(work, struct oprofile_offcpu_cpu, work);
	struct oprofile_sampling *s = cpu->s;
	const struct oprofile_table *t;
	struct pt_regs kernel_regs;
	u64 n = cpu->n;

	if (unlikely(!n))
		return;
	cpu->n = 0;
	if (unlikely(current != cpu->task)) {
		lose(s, &s->cpu->stats.sample_lost_offcpu_late, n);
		return;
	}
	/* With call paths, or if the thread has no place in a program, count the wait at the kernel
	 * function that called the scheduler. */
	t = READ_ONCE(this_cpu_ptr(s->cpu)->active);
	if (oprofile_offcpu_has_place(current) && !(t && t->book)) {
		add_at_user_place(s, cpu, n);
	} else {
		oprofile_kernel_caller(current, &kernel_regs, &cpu->frame,
				       s->offcpu->scheduler_start, s->offcpu->scheduler_end);
		oprofile_add_sample(s, &kernel_regs, cpu->event, n);
	}
}

static bool is_asked_for(const struct oprofile_offcpu *o)
{
	int i;

	for (i = 1; i <= OPROFILE_OFFCPU_MAX_REASON; i++) {
		if (o->event[i] != OPROFILE_OFFCPU_NO_EVENT)
			return true;
	}
	return false;
}

struct tracepoints {
	struct tracepoint *switched, *waking;
};

static void find_tracepoint(struct tracepoint *tp, void *found)
{
	struct tracepoints *to = found;

	if (!strcmp(tp->name, "sched_switch"))
		to->switched = tp;
	else if (!strcmp(tp->name, "sched_waking"))
		to->waking = tp;
}

int oprofile_offcpu_start(struct oprofile_sampling *s)
{
	struct oprofile_offcpu *o = s->offcpu;
	struct tracepoints tp = { };
	int err, cpu;

	lockdep_assert_held(&s->lock);
	if (!is_asked_for(o))
		return 0;
	/* The kernel does not export the variables of these tracepoints to modules. */
	for_each_kernel_tracepoint(find_tracepoint, &tp);
	if (!tp.switched)
		return -EOPNOTSUPP;
	err = oprofile_offcpu_threads_alloc(&o->threads, o->nr_threads);
	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(o->cpu, cpu)->n = 0;
		per_cpu_ptr(o->cpu, cpu)->random = get_random_u64() | 1;
	}
	o->began = ktime_get_ns();
	o->next = 0;
	oprofile_latency_start(&o->latency);
	err = oprofile_wakers_start(&o->wakers, tp.waking);
	if (err)
		goto err_stop_latency;
	err = tracepoint_probe_register(tp.switched, on_switch, s);
	if (err)
		goto err_stop_wakers;
	o->tracepoint = tp.switched;
	return 0;

err_stop_wakers:
	oprofile_wakers_stop(&o->wakers);
	tracepoint_synchronize_unregister();
err_stop_latency:
	oprofile_latency_stop(&o->latency);
	oprofile_offcpu_threads_free(&o->threads);
	return err;
}

struct at_stop {
	struct oprofile_sampling *s;
	u64 now;
};

static void end_account(void *arg, const struct oprofile_offcpu_thread *t)
{
	struct at_stop *stop = arg;

	count_rest(stop->s, t);
	if (t->since && stop->now > t->since)
		this_cpu_add(stop->s->cpu->stats.offcpu_unfinished_ns, stop->now - t->since);
}

void oprofile_offcpu_stop(struct oprofile_sampling *s)
{
	struct oprofile_offcpu *o = s->offcpu;
	struct at_stop stop = { .s = s };
	int cpu;

	lockdep_assert_held(&s->lock);
	if (!o->tracepoint)
		return;
	oprofile_latency_stop(&o->latency);
	oprofile_wakers_stop(&o->wakers);
	tracepoint_probe_unregister(o->tracepoint, on_switch, s);
	tracepoint_synchronize_unregister();
	o->tracepoint = NULL;
	stop.now = oprofile_offcpu_now();
	for_each_possible_cpu(cpu) {
		irq_work_sync(&per_cpu_ptr(o->cpu, cpu)->work);
		/* a CPU that went offline does not run its irq_work any more */
		if (per_cpu_ptr(o->cpu, cpu)->n)
			lose(s, &s->cpu->stats.sample_lost_offcpu_late,
			     per_cpu_ptr(o->cpu, cpu)->n);
	}
	oprofile_offcpu_threads_each(&o->threads, end_account, &stop);
	oprofile_offcpu_threads_free(&o->threads);
}

int oprofile_offcpu_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	static const struct oprofilefs_setting count = { "count", MIN_PERIOD, MAX_PERIOD, true };
	static const struct oprofilefs_setting threads = { "threads", 64, MAX_THREADS, true };
	static const struct oprofilefs_setting start = { "scheduler_start", 0, ULONG_MAX, true };
	static const struct oprofilefs_setting end = { "scheduler_end", 0, ULONG_MAX, true };
	static const struct oprofilefs_setting latency = { "latency", 0, OPROFILE_OFFCPU_NO_EVENT,
							   true };
	static const struct oprofilefs_setting event[] = {
#define X(id, number, file, desc) [number] = { file, 0, OPROFILE_OFFCPU_NO_EVENT, true },
		OPROFILE_OFFCPU_REASONS(X)
#undef X
	};
	struct dentry *dir = oprofilefs_mkdir(root, "offcpu");
	int i, err;

	if (!dir)
		return -ENOMEM;
	err = oprofilefs_create_setting(s, dir, &count, &s->offcpu->period);
	err = err ?: oprofilefs_create_setting(s, dir, &threads, &s->offcpu->nr_threads);
	err = err ?: oprofilefs_create_setting(s, dir, &start, &s->offcpu->scheduler_start);
	err = err ?: oprofilefs_create_setting(s, dir, &end, &s->offcpu->scheduler_end);
	err = err ?: oprofilefs_create_setting(s, dir, &latency, &s->offcpu->latency.event);
	err = err ?: oprofile_wakers_create_files(&s->offcpu->wakers, dir);
	for (i = 1; i <= OPROFILE_OFFCPU_MAX_REASON && !err; i++)
		err = oprofilefs_create_setting(s, dir, &event[i], &s->offcpu->event[i]);
	return err;
}

int oprofile_offcpu_init(struct oprofile_offcpu *o, struct oprofile_sampling *s)
{
	int cpu, i, err = oprofile_latency_init(&o->latency);

	if (err)
		return err;
	o->cpu = alloc_percpu(struct oprofile_offcpu_cpu);
	if (!o->cpu) {
		oprofile_latency_exit(&o->latency);
		return -ENOMEM;
	}
	o->period = DEFAULT_PERIOD;
	o->nr_threads = DEFAULT_THREADS;
	o->wakers = (struct oprofile_wakers){
		.s = s, .threads = &o->threads, .period = &o->period, .event = o->event,
	};
	for (i = 0; i < ARRAY_SIZE(o->event); i++)
		o->event[i] = OPROFILE_OFFCPU_NO_EVENT;
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(o->cpu, cpu)->s = s;
		per_cpu_ptr(o->cpu, cpu)->work = IRQ_WORK_INIT_HARD(on_return);
	}
	return 0;
}

void oprofile_offcpu_exit(struct oprofile_offcpu *o)
{
	free_percpu(o->cpu);
	oprofile_latency_exit(&o->latency);
}
