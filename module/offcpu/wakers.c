// SPDX-License-Identifier: GPL-2.0
/* offcpu/wakers.c -- the probe of wake-ups, and the samples of wakers. */
#include "offcpu/wakers.h"

#include <linux/preempt.h>
#include <linux/tracepoint.h>

#include "handler.h"
#include "offcpu/tasks.h"
#include "offcpu/wait.h"
#include "oprofilefs.h"
#include "paths/kernel_stack.h"
#include "sampling.h"
#include "segment.h"
#include "uapi/offcpu.h"

void oprofile_wakers_note_program(struct oprofile_wakers *w, struct oprofile_offcpu_thread *t)
{
	u64 app;

	if (current->flags & PF_KTHREAD) {
		t->program = OPROFILE_WOKE_KERNEL;
	} else if (current->mm) {
		/* Keep the program of an exiting thread that has released its memory. */
		app = oprofile_program_of(&w->s->identity.programs,
					  oprofile_program_id(current->mm));
		t->program = app < OPROFILE_WOKE_KERNEL ? app : 0;
	}
	t->exec_id = current->self_exec_id;
}

/* Return the cookie of the program that the current task had at its last switch, because an exiting
 * task may have released its memory. Return OPROFILE_NO_COOKIE if the program is unknown, or if the
 * task is a thread of the kernel. */
static u64 program_before_exit(const struct oprofile_wakers *w)
{
	const struct oprofile_offcpu_thread *t = oprofile_offcpu_thread_find(w->threads, current);

	return t && t->program != OPROFILE_WOKE_KERNEL ? t->program : OPROFILE_NO_COOKIE;
}

/* Add the sample @hit, whose place is not set, for the waker: the current task, or an interrupt.
 * Not inlined, so that wake-ups without a sample stay cheap. */
static noinline void add_waker(const struct oprofile_wakers *w, struct oprofile_hit *hit)
{
	bool irq = in_hardirq() || in_serving_softirq();

	if (!irq && oprofile_offcpu_has_place(current) && !(current->flags & PF_EXITING)) {
		hit->where = oprofile_user_pc(task_pt_regs(current));
		oprofile_add_waker(w->s, OPROFILE_WAKER_USER, hit, OPROFILE_NO_COOKIE);
		return;
	}
	hit->where = oprofile_kernel_caller_into(w->start, w->end);
	if (!hit->where)
		hit->where = (unsigned long)wake_up_process;
	oprofile_add_waker(w->s, irq ? OPROFILE_WAKER_IRQ : OPROFILE_WAKER_KERNEL, hit,
			   irq ? OPROFILE_NO_COOKIE : program_before_exit(w));
}

/* Set @hit to the samples that are due for the wait of @task, whose entry is @t, until now. Return
 * false if no sample is due, or if the waker is not sampled. */
static bool find_samples(const struct oprofile_wakers *w, struct oprofile_offcpu_thread *t,
			 struct task_struct *task, struct oprofile_hit *hit)
{
	u64 since = oprofile_offcpu_thread_lock(t), now = oprofile_offcpu_now(), ns;
	struct oprofile_offcpu_account account;

	if (!since)
		return false;
	ns = now > since ? now - since : 0;
	/* an entry with another task has been reused */
	if (likely(t->account.away + ns < t->account.moment) || unlikely(t->task != task)) {
		oprofile_offcpu_thread_unlock(t, since);
		return false;
	}
	account = t->account;
	hit->n = oprofile_offcpu_wait(&account, ns, *w->period,
				      oprofile_offcpu_thread_random(w->threads, t, since));
	if (unlikely(hit->n)) {
		hit->event = w->event[oprofile_offcpu_reason(t, task)];
		hit->woken = t->reason == OPROFILE_OFFCPU_RUNQUEUE ? 0 : t->program;
	}
	oprofile_offcpu_thread_unlock(t, since);
	return hit->n && hit->woken && hit->event != OPROFILE_OFFCPU_NO_EVENT;
}

/* Probe of the tracepoint sched_waking. Called with interrupts off; unless @task is the current
 * task, its pi_lock is held and it has not been enqueued yet. */
static void on_waking(void *data, struct task_struct *task)
{
	const struct oprofile_wakers *w = data;
	struct oprofile_offcpu_thread *t = oprofile_offcpu_thread_first(w->threads, task);
	const struct oprofile_cpu *pcpu;
	struct oprofile_hit hit = { };

	if (unlikely(READ_ONCE(t->task) != task))
		t = oprofile_offcpu_thread_find(w->threads, task);
	/* The kernel has read the state of the task before it calls the probe: do not read an older
	 * value of .since. */
	smp_rmb();
	if (!t || likely(!find_samples(w, t, task, &hit)))
		return;
	pcpu = this_cpu_ptr(w->s->cpu);
	if (unlikely(!pcpu->here || !READ_ONCE(pcpu->active) || pcpu->err)) {
		this_cpu_add(w->s->cpu->stats.sample_received, hit.n);
		this_cpu_add(w->s->cpu->stats.sample_lost_offcpu_cpu, hit.n);
	} else {
		add_waker(w, &hit);
	}
}

int oprofile_wakers_start(struct oprofile_wakers *w, struct tracepoint *tp)
{
	int err;

	if (!w->wanted)
		return 0;
	if (!tp)
		return -EOPNOTSUPP;
	err = tracepoint_probe_register(tp, on_waking, w);
	if (!err)
		WRITE_ONCE(w->tracepoint, tp);
	return err;
}

void oprofile_wakers_stop(struct oprofile_wakers *w)
{
	if (!w->tracepoint)
		return;
	tracepoint_probe_unregister(w->tracepoint, on_waking, w);
	WRITE_ONCE(w->tracepoint, NULL);
}

int oprofile_wakers_create_files(struct oprofile_wakers *w, struct dentry *dir)
{
	static const struct oprofilefs_setting wanted = { "wakers", 0, 1, true };
	static const struct oprofilefs_setting start = { "waking_start", 0, ULONG_MAX, true };
	static const struct oprofilefs_setting end = { "waking_end", 0, ULONG_MAX, true };
	int err;

	err = oprofilefs_create_setting(w->s, dir, &wanted, &w->wanted);
	err = err ?: oprofilefs_create_setting(w->s, dir, &start, &w->start);
	return err ?: oprofilefs_create_setting(w->s, dir, &end, &w->end);
}
