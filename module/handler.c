// SPDX-License-Identifier: GPL-2.0
/*
 * handler.c -- interrupt handler for a sample: finds the sample's task and address, and counts the
 * sample.
 */
#include "handler.h"

#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "group.h"
#include "paths/paths.h"
#include "resolve.h"
#include "segment.h"
#include "sampling.h"
#include "uapi/oprofile.h"

/* Return whether a sample may be counted in the slot of its address. Otherwise its address must be
 * looked up. */
static bool can_count(const struct oprofile_sampling *s, const struct oprofile_task_id *id)
{
	return id->domain != OPROFILE_IN_USER || s->hooks.maps_watched;
}

static bool can_run_task_work(const struct task_struct *task)
{
	return task->mm &&
	       !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER | PF_EXITING));
}

/* Return the cookie of the program of the current task, whose identity is @id. If the exiting task
 * has already released its mm, return the cookie from the task's last user sample on this CPU. */
static u64 find_app(struct oprofile_sampling *s, const struct oprofile_table *t,
		    const struct oprofile_task_id *id)
{
	const struct oprofile_task_id *last = &t->last[OPROFILE_IN_USER].id;

	if (current->flags & PF_KTHREAD)
		return OPROFILE_NO_COOKIE;
	if (current->mm)
		return oprofile_program_of(&s->identity.programs, oprofile_program_id(current->mm));
	if (last->task == id->task && last->start_time == id->start_time &&
	    last->exec_id == id->exec_id)
		return t->contexts[t->last[OPROFILE_IN_USER].context].who.app;
	return OPROFILE_NO_COOKIE;
}

/*
 * Queue a lookup of the program's cookie on the current task, because a kernel sample needs the
 * cookie; do so only once per context. In an NMI, queue an irq_work that queues the lookup, but
 * only if the irq_work's interrupt follows right after the NMI, while the task still runs.
 */
static void want_app(struct oprofile_cpu *pcpu, struct oprofile_context *c,
		     const struct pt_regs *regs)
{
	if (c->app_requested || !can_run_task_work(current) ||
	    (in_nmi() && !oprofile_irqs_enabled(regs)))
		return;
	c->app_requested = 1;
	oprofile_resolve_app_later(pcpu);
}

/* Add a kernel or guest sample for which the table has no slot yet. */
static void add_kernel(struct oprofile_cpu *pcpu, struct oprofile_table *t,
		       const struct oprofile_task_id *id, const struct pt_regs *regs,
		       const struct oprofile_hit *hit)
{
	static const struct oprofile_place nowhere = { .cookie = OPROFILE_NO_COOKIE };
	u32 context = oprofile_table_context(t, id);

	if (context == OPROFILE_NO_CONTEXT)
		context = oprofile_table_new_context(t, id, find_app(pcpu->s, t, id));
	if (context != OPROFILE_NO_CONTEXT) {
		if (t->contexts[context].who.app == OPROFILE_NO_COOKIE)
			want_app(pcpu, &t->contexts[context], regs);
		if (oprofile_table_add(t, context, hit, &nowhere))
			return;
	}
	this_cpu_add(pcpu->s->cpu->stats.sample_lost_overflow, hit->n);
}

/* Add a sample for which the table has no slot yet. Not inlined, so that the fast path stays
 * small. */
static noinline void add_new(struct oprofile_cpu *pcpu, struct oprofile_table *t,
			     const struct oprofile_task_id *id, const struct pt_regs *regs,
			     const struct oprofile_hit *hit)
{
	if (id->domain == OPROFILE_IN_USER)
		oprofile_resolve_later(pcpu, hit);
	else
		add_kernel(pcpu, t, id, regs, hit);
}

/* Queue a lookup on the current task that completes the call path of a kernel sample, or finds the
 * cookie of the task's program. Do so at the time of the sample, because the task is running
 * now. */
static void want_more(struct oprofile_cpu *pcpu, struct oprofile_table *t, u32 context,
		      const struct pt_regs *regs, enum oprofile_path_result result,
		      const struct oprofile_hit *with_path)
{
	if (unlikely(result == OPROFILE_PATH_INCOMPLETE) && can_run_task_work(current))
		oprofile_resolve_path_later(pcpu, with_path, t->book->epoch);
	else if (unlikely(t->contexts[context].who.app == OPROFILE_NO_COOKIE))
		want_app(pcpu, &t->contexts[context], regs);
}

/* Count a sample by its call path. Return false if the sample must be counted by its address
 * instead. */
static noinline bool add_path(struct oprofile_cpu *pcpu, struct oprofile_table *t,
			      const struct oprofile_task_id *id, struct pt_regs *regs,
			      const struct oprofile_hit *hit)
{
	bool user = id->domain == OPROFILE_IN_USER;
	struct oprofile_place place = { .cookie = OPROFILE_NO_COOKIE };
	struct oprofile_hit with_path = *hit;
	enum oprofile_path_result result;
	u32 context;
	u64 app;

	if (id->domain == OPROFILE_IN_GUEST)
		return false;
	result = oprofile_path_capture(pcpu, t, regs, id, &with_path);
	if (result == OPROFILE_PATH_NONE)
		return false;
	context = oprofile_table_context(t, id);
	if (context == OPROFILE_NO_CONTEXT) {
		app = find_app(pcpu->s, t, id);
		if (user && app == OPROFILE_NO_COOKIE)
			result = OPROFILE_PATH_INCOMPLETE;
		else
			context = oprofile_table_new_context(t, id, app);
	}
	if (user && result == OPROFILE_PATH_INCOMPLETE) {
		if (with_path.event & OPROFILE_HIT_PATH)
			oprofile_path_uncount(pcpu, t->book, &with_path);
		oprofile_resolve_later(pcpu, hit);
		return true;
	}
	if (context != OPROFILE_NO_CONTEXT) {
		if (!user)
			want_more(pcpu, t, context, regs, result, &with_path);
		if (likely(oprofile_table_count(t, context, &with_path)))
			return true;
		if (user)
			oprofile_path_place(t->book, with_path.where, &place);
		if (oprofile_table_add(t, context, &with_path, &place))
			return true;
	}
	this_cpu_add(pcpu->s->cpu->stats.sample_lost_overflow, hit->n);
	return true;
}

/*
 * Return whether the interrupt came while a virtual machine was running. The CPU leaves the guest
 * before it handles an interrupt, so the interrupted registers are those of KVM's code. Therefore
 * test the flag PF_VCPU: KVM sets it before it enters the guest, and clears it after the interrupt
 * or NMI that stopped the guest has been handled. The kernel uses this flag to account ticks to the
 * guest; like the kernel, ignore the flag in nested interrupts and softirqs. KVM executes a few
 * instructions before and after the guest with interrupts off, so only an NMI can interrupt them: a
 * sample there counts as the guest's. A counter that does not count in guests overflows before or
 * after the guest runs, in KVM's code.
 */
static bool in_guest(const struct oprofile_sampling *s)
{
	return unlikely(current->flags & PF_VCPU) && !s->outside_guests &&
	       hardirq_count() == HARDIRQ_OFFSET && !softirq_count();
}

/* Add a sample that has a call path, another task than the last sample, or a new address. Not
 * inlined, and called with copies, so that the fast path keeps both in registers. */
static noinline void add_sample(struct oprofile_cpu *pcpu, struct oprofile_table *t,
				struct pt_regs *regs, struct oprofile_task_id id,
				struct oprofile_hit hit)
{
	u32 context;

	if (unlikely(t->book) && add_path(pcpu, t, &id, regs, &hit))
		return;
	context = oprofile_table_context(t, &id);
	if (context == OPROFILE_NO_CONTEXT || !can_count(pcpu->s, &id) ||
	    !oprofile_table_count(t, context, &hit))
		add_new(pcpu, t, &id, regs, &hit);
}

void oprofile_add_sample(struct oprofile_sampling *s, struct pt_regs *regs, u32 event, u64 n)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(pcpu->active);
	struct task_struct *task = current;
	struct oprofile_hit hit = {
		.where = instruction_pointer(regs), .n = n, .event = event,
	};
	struct oprofile_task_id id = {
		.task = task,
		.start_time = task->start_time,
		.exec_id = task->self_exec_id,
		.group = oprofile_group(s),
	};
	u32 context;

	this_cpu_add(s->cpu->stats.sample_received, n);
	if (unlikely(!t || hit.where == OPROFILE_ESCAPE)) {
		this_cpu_add(s->cpu->stats.sample_invalid_eip, n);
		return;
	}
	if (user_mode(regs)) {
		if (unlikely(!task->mm)) {
			this_cpu_add(s->cpu->stats.sample_lost_no_mm, n);
			return;
		}
		id.domain = OPROFILE_IN_USER;
		id.generation = oprofile_generation(&s->hooks, task->mm);
		hit.where = oprofile_user_pc(regs);
	} else if (in_guest(s)) {
		id.domain = OPROFILE_IN_GUEST;
		hit.where = 0;
	}
	/* Most samples are of the task of the last sample, and at a known address. */
	context = oprofile_table_last_context(t, &id);
	if (likely(!t->book && context != OPROFILE_NO_CONTEXT && can_count(s, &id) &&
		   oprofile_table_count(t, context, &hit)))
		return;
	add_sample(pcpu, t, regs, id, hit);
}

void oprofile_add_entry(struct oprofile_sampling *s, struct pt_regs *regs, unsigned long pc,
			bool user, const struct oprofile_data *data)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(pcpu->active);
	struct oprofile_hit hit = { .where = pc, .n = 1, .data = data };
	struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.group = oprofile_group(s),
		.domain = user ? OPROFILE_IN_USER : OPROFILE_IN_KERNEL,
	};

	this_cpu_inc(s->cpu->stats.sample_received);
	if (unlikely(!t || pc == OPROFILE_ESCAPE)) {
		this_cpu_inc(s->cpu->stats.sample_invalid_eip);
		return;
	}
	if (!user_mode(regs) && in_guest(s)) {
		id.domain = OPROFILE_IN_GUEST;
		hit.where = 0;
	}
	if (id.domain == OPROFILE_IN_USER && !can_run_task_work(current)) {
		this_cpu_inc(s->cpu->stats.sample_lost_no_mm);
		return;
	}
	add_new(pcpu, t, &id, regs, &hit);
}

/* Add a sample of a waker in the kernel, for which the table has no slot yet. */
static void add_kernel_waker(struct oprofile_cpu *pcpu, struct oprofile_table *t,
			     const struct oprofile_task_id *id, const struct oprofile_hit *hit,
			     u64 app)
{
	static const struct oprofile_place nowhere = { .cookie = OPROFILE_NO_COOKIE };
	u32 context = oprofile_table_context(t, id);
	u64 found = OPROFILE_NO_COOKIE;

	if (context == OPROFILE_NO_CONTEXT) {
		if (id->task)
			found = find_app(pcpu->s, t, id);
		context = oprofile_table_new_context(t, id, found ? found : app);
	}
	if (context == OPROFILE_NO_CONTEXT || !oprofile_table_add(t, context, hit, &nowhere))
		this_cpu_add(pcpu->s->cpu->stats.sample_lost_overflow, hit->n);
}

void oprofile_add_waker(struct oprofile_sampling *s, enum oprofile_waker_kind kind,
			const struct oprofile_hit *hit, u64 app)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(pcpu->active);
	struct oprofile_task_id id = { .woken = hit->woken };
	u32 context;

	lockdep_assert_irqs_disabled();
	this_cpu_add(s->cpu->stats.sample_received, hit->n);
	if (unlikely(!t)) {
		this_cpu_add(s->cpu->stats.sample_invalid_eip, hit->n);
		return;
	}
	if (kind != OPROFILE_WAKER_IRQ) {
		id.task = current;
		id.start_time = current->start_time;
		id.exec_id = current->self_exec_id;
		id.group = oprofile_group(s);
	}
	if (kind == OPROFILE_WAKER_USER) {
		id.domain = OPROFILE_IN_USER;
		id.generation = oprofile_generation(&s->hooks, current->mm);
	}
	context = oprofile_table_context(t, &id);
	if (likely(context != OPROFILE_NO_CONTEXT && can_count(s, &id) &&
		   oprofile_table_count(t, context, hit)))
		return;
	if (kind == OPROFILE_WAKER_USER)
		oprofile_resolve_later(pcpu, hit);
	else
		add_kernel_waker(pcpu, t, &id, hit, app);
}
