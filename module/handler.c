// SPDX-License-Identifier: GPL-2.0
/*
 * handler.c -- a hit: whose it is, and where.
 */
#include "handler.h"

#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "paths.h"
#include "resolve.h"
#include "segment.h"
#include "sampling.h"
#include "uapi/oprofile.h"

static bool can_run_task_work(const struct task_struct *task)
{
	return task->mm && !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER | PF_EXITING));
}

/* The program of @id, the current task, which may have given up its mm on its way out: then what
 * its last user sample on this CPU said. */
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
 * A kernel sample of a program that has no cookie yet: ask the task for it, once. From an NMI only
 * when the task takes the interrupt that asks as soon as the NMI is over.
 */
static void want_app(struct oprofile_cpu *pcpu, struct oprofile_context *c, const struct pt_regs *regs)
{
	if (c->app_asked || !can_run_task_work(current) || (in_nmi() && !oprofile_irqs_enabled(regs)))
		return;
	c->app_asked = 1;
	oprofile_resolve_app_later(pcpu);
}

/* What is in the kernel, or a virtual machine's, and is not one more of what was hit. */
static void add_kernel(struct oprofile_cpu *pcpu, struct oprofile_table *t, const struct oprofile_task_id *id,
		       const struct pt_regs *regs, const struct oprofile_hit *hit)
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

/* Out of line, for the sake of what was hit before. */
static noinline void add_new(struct oprofile_cpu *pcpu, struct oprofile_table *t,
			     const struct oprofile_task_id *id, const struct pt_regs *regs,
			     const struct oprofile_hit *hit)
{
	if (id->domain == OPROFILE_IN_USER)
		oprofile_resolve_later(pcpu, hit);
	else
		add_kernel(pcpu, t, id, regs, hit);
}

/* Asks the task for what a kernel sample lacks: that comes when the sample is counted, as the task is here. */
static void want_more(struct oprofile_cpu *pcpu, struct oprofile_table *t, u32 context, const struct pt_regs *regs,
		      enum oprofile_path_taken taken, const struct oprofile_hit *with_path)
{
	if (unlikely(taken == OPROFILE_PATH_UNKNOWN) && can_run_task_work(current))
		oprofile_resolve_path_later(pcpu, with_path, t->book->epoch);
	else if (unlikely(t->contexts[context].who.app == OPROFILE_NO_COOKIE))
		want_app(pcpu, &t->contexts[context], regs);
}

/* With its path. False: it is to be a plain sample. */
static noinline bool add_path(struct oprofile_cpu *pcpu, struct oprofile_table *t, const struct oprofile_task_id *id,
			      struct pt_regs *regs, const struct oprofile_hit *hit)
{
	bool user = id->domain == OPROFILE_IN_USER;
	struct oprofile_place place = { .cookie = OPROFILE_NO_COOKIE };
	struct oprofile_hit with_path = *hit;
	enum oprofile_path_taken taken;
	struct oprofile_slot *slot;
	u32 context;
	u64 app;

	if (id->domain == OPROFILE_IN_GUEST)
		return false;
	taken = oprofile_path_take(pcpu, t, regs, id, &with_path);
	if (taken == OPROFILE_PATH_NONE)
		return false;
	context = oprofile_table_context(t, id);
	if (context == OPROFILE_NO_CONTEXT) {
		app = find_app(pcpu->s, t, id);
		if (user && app == OPROFILE_NO_COOKIE)
			taken = OPROFILE_PATH_UNKNOWN;
		else
			context = oprofile_table_new_context(t, id, app);
	}
	if (user && taken == OPROFILE_PATH_UNKNOWN) {
		if (with_path.event & OPROFILE_HIT_PATH)
			oprofile_path_untake(pcpu, t->book, &with_path);
		oprofile_resolve_later(pcpu, hit);
		return true;
	}
	if (context != OPROFILE_NO_CONTEXT) {
		if (!user)
			want_more(pcpu, t, context, regs, taken, &with_path);
		slot = oprofile_table_slot(t, context, with_path.where, with_path.event);
		if (likely(slot)) {
			oprofile_add_local(&slot->n, hit->n);
			return true;
		}
		if (user)
			oprofile_path_place(t->book, with_path.where, &place);
		if (oprofile_table_add(t, context, &with_path, &place))
			return true;
	}
	this_cpu_add(pcpu->s->cpu->stats.sample_lost_overflow, hit->n);
	return true;
}

/*
 * Is what this interrupt hit a virtual machine's? A CPU leaves the guest to take an interrupt, so @regs
 * are those of KVM, where it came to take it. KVM marks its task from before it enters until it has
 * taken what made it leave, NMIs as well: the mark by which the kernel accounts its ticks to the guest,
 * and as for those, it says nothing about what another interrupt or a soft one does meanwhile. The few
 * instructions of KVM on both sides of the guest that run with interrupts off, which only an NMI can
 * hit, are taken for the guest's. A counter that stands still in the guest overflows just before or after,
 * in code of KVM.
 */
static bool in_guest(const struct oprofile_sampling *s)
{
	return unlikely(current->flags & PF_VCPU) && !s->outside_guests &&
	       hardirq_count() == HARDIRQ_OFFSET && !softirq_count();
}

void oprofile_add_sample(struct oprofile_sampling *s, struct pt_regs *regs, u32 event, u64 n)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(pcpu->active);
	struct task_struct *task = current;
	unsigned long pc = instruction_pointer(regs);
	struct oprofile_task_id id = {
		.task = task,
		.start_time = task->start_time,
		.exec_id = task->self_exec_id,
	};
	u32 context;

	this_cpu_add(s->cpu->stats.sample_received, n);
	if (unlikely(!t || pc == OPROFILE_ESCAPE)) {
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
		pc = oprofile_user_pc(regs);
	} else if (in_guest(s)) {
		id.domain = OPROFILE_IN_GUEST;
		pc = 0;
	}
	if (unlikely(t->book) &&
	    add_path(pcpu, t, &id, regs, &(struct oprofile_hit){ .where = pc, .n = n, .event = event }))
		return;
	context = oprofile_table_context(t, &id);
	if (likely(context != OPROFILE_NO_CONTEXT &&
		   (id.domain != OPROFILE_IN_USER || s->hooks.maps_watched))) {
		struct oprofile_slot *slot = oprofile_table_slot(t, context, pc, event);

		if (likely(slot)) {
			oprofile_add_local(&slot->n, n);
			return;
		}
	}
	add_new(pcpu, t, &id, regs, &(struct oprofile_hit){ .where = pc, .n = n, .event = event });
}

void oprofile_add_entry(struct oprofile_sampling *s, struct pt_regs *regs, unsigned long pc, bool user,
			const struct oprofile_data *data)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(pcpu->active);
	struct oprofile_hit hit = { .where = pc, .n = 1, .data = data };
	struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
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
