// SPDX-License-Identifier: GPL-2.0
/* offcpu/offcpu.c -- the probe of context switches, and the samples of waits. */
#include "offcpu/offcpu.h"

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "handler.h"
#include "offcpu/wait.h"
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
	/* The entry of the thread that got this CPU last, which saves the search when the thread
	 * leaves. It may be another thread's entry, or free: compare its task. */
	struct oprofile_offcpu_thread *last;
	u64 random;		/* state of the generator of random numbers; never 0 */
	/* The samples for which .work is queued; .n == 0: none. Written with interrupts off. */
	u64 n;
	u32 event;
	const struct task_struct *task;
	/* the thread's entry, which exists at least until the next switch on this CPU */
	struct oprofile_offcpu_thread *thread;
	struct oprofile_kernel_frame frame;	/* in which the task left its CPU */
};

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

/* Return the entry of @task, which leaves its CPU in the state @state, also if it is not the last
 * entry of the CPU. Return NULL if the task ends, after which it has no entry, or if there is no
 * room. */
static noinline struct oprofile_offcpu_thread *find_leaving(struct oprofile_sampling *s,
							    struct oprofile_offcpu_cpu *cpu,
							    const struct task_struct *task,
							    unsigned int state)
{
	struct oprofile_offcpu_threads *threads = &s->offcpu->threads;
	struct oprofile_offcpu_thread *t = oprofile_offcpu_thread_find(threads, task);

	if (!(state & TASK_DEAD))
		return t ?: add(s, cpu, task);
	if (t) {
		count_rest(s, t);
		oprofile_offcpu_thread_free(threads, t);
	}
	return NULL;
}

/* Note that @prev, the current task, leaves its CPU. */
static __always_inline void leave(struct oprofile_sampling *s, struct oprofile_offcpu *o,
				  struct oprofile_offcpu_cpu *cpu, struct task_struct *prev,
				  unsigned int state, u64 now)
{
	const unsigned int stops = __TASK_STOPPED | __TASK_TRACED | OPROFILE_OFFCPU_FREEZES;
	struct oprofile_offcpu_thread *t = cpu->last;

	if (unlikely(READ_ONCE(t->task) != prev || state & TASK_DEAD)) {
		t = find_leaving(s, cpu, prev, state);
		if (!t)
			return;
	}
	oprofile_offcpu_wait_begins(t, prev, state);
	/* A thread that is stopped in a system call may begin it again as another call. */
	if (unlikely(t->state & stops))
		oprofile_offcpu_note_call(t, prev);
	oprofile_wakers_leave(&o->wakers, t);
	oprofile_offcpu_thread_leaves(t, now);
}

/* Count samples that were due, but were not taken. */
static void lose(struct oprofile_sampling *s, u64 __percpu *loss, u64 n)
{
	this_cpu_add(s->cpu->stats.sample_received, n);
	this_cpu_add(*loss, n);
}

/* Return the entry of @task, which gets the CPU, if it is not the first of its bucket. If the task
 * has no entry, has not run since its creation, and was created after the start of sampling, return
 * a new entry, as if the task had left its CPU then and could run. Otherwise return NULL. */
static noinline struct oprofile_offcpu_thread *find_coming(struct oprofile_sampling *s,
							   struct oprofile_offcpu_cpu *cpu,
							   const struct task_struct *task)
{
	struct oprofile_offcpu_thread *t;

	t = oprofile_offcpu_thread_find(&s->offcpu->threads, task);
	if (t)
		return t;
	if (task->nvcsw || task->nivcsw || task->start_time < s->offcpu->began)
		return NULL;
	t = add(s, cpu, task);
	if (t) {
		t->reason = OPROFILE_OFFCPU_RUNQUEUE;
		oprofile_offcpu_thread_leaves(t, task->start_time & ~1ULL);
	}
	return t;
}

/* Queue the irq_work that takes the samples of the wait of @next, which gets the CPU. Its entry is
 * @t. The wait began at @since, is in the account, and has at least one sample. Not inlined, so
 * that switches without a sample stay cheap. */
static noinline void take_soon(struct oprofile_sampling *s, struct oprofile_offcpu_cpu *cpu,
			       struct task_struct *next, struct oprofile_offcpu_thread *t,
			       u64 since)
{
	const struct oprofile_offcpu *o = s->offcpu;
	const struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	unsigned long event = o->event[oprofile_offcpu_reason(t, next)];
	u64 n = oprofile_offcpu_wait(&t->account, 0, o->period,
				     oprofile_offcpu_thread_random(&o->threads, t, since));

	if (event == OPROFILE_OFFCPU_NO_EVENT) {
		this_cpu_add(s->cpu->stats.offcpu_not_asked, n);
	} else if (unlikely(!pcpu->here || !READ_ONCE(pcpu->active) || pcpu->err)) {
		lose(s, &s->cpu->stats.sample_lost_offcpu_cpu, n);
	} else {
		cpu->n = n;
		cpu->event = event;
		cpu->task = next;
		cpu->thread = t;
		cpu->frame = oprofile_kernel_frame_of(next);
		irq_work_queue(&cpu->work);
	}
}

/* Add the wait of @next, which gets the CPU, to its account. */
static __always_inline void come(struct oprofile_sampling *s, struct oprofile_offcpu *o,
				 struct oprofile_offcpu_cpu *cpu, struct task_struct *next, u64 now)
{
	struct oprofile_offcpu_thread *t;
	u64 since, ns;

	t = oprofile_offcpu_thread_first(&o->threads, next);
	if (unlikely(READ_ONCE(t->task) != next)) {
		t = find_coming(s, cpu, next);
		if (!t)
			return;
	}
	cpu->last = t;
	since = oprofile_offcpu_thread_comes(t);
	if (unlikely(!since))
		return;
	/* A signal may interrupt the system call, which then begins again as another call. */
	if (unlikely(READ_ONCE(task_thread_info(next)->flags) &
		     (_TIF_SIGPENDING | _TIF_NOTIFY_SIGNAL)))
		oprofile_offcpu_note_call(t, next);
	/* the clocks of two CPUs may differ by a few ns */
	ns = now > since ? now - since : 0;
	this_cpu_add(s->cpu->stats.offcpu_ns, ns);
	t->account.away += ns;
	if (unlikely(t->account.away >= t->account.moment))
		take_soon(s, cpu, next, t, since);
}

/* Probe of the tracepoint sched_switch. Called with interrupts off and the run queue locked, while
 * @prev is still the current task. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct oprofile_sampling *s = data;
	struct oprofile_offcpu *o = s->offcpu;
	struct oprofile_offcpu_cpu *cpu = this_cpu_ptr(o->cpu);
	unsigned int state = preempt ? 0 : prev_state;
	u64 now = oprofile_offcpu_now();

	if (unlikely(cpu->n)) {
		lose(s, &s->cpu->stats.sample_lost_offcpu_late, cpu->n);
		cpu->n = 0;
	}
	/* idle tasks, one for each CPU, have the id 0 */
	if (prev->pid)
		leave(s, o, cpu, prev, state, now);
	if (next->pid)
		come(s, o, cpu, next, now);
	oprofile_latency_switch(&o->latency, next);
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
		per_cpu_ptr(o->cpu, cpu)->last = oprofile_offcpu_thread_at(&o->threads, 0);
		per_cpu_ptr(o->cpu, cpu)->random = get_random_u64() | 1;
	}
	o->threads.secret = get_random_u64();
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
