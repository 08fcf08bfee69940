// SPDX-License-Identifier: GPL-2.0
/*
 * resolve.c -- user addresses looked up by the task they were found in.
 */
#include "resolve.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "anon.h"
#include "compat/compat.h"
#include "errand.h"
#include "paths.h"
#include "sampling.h"
#include "uapi/oprofile.h"
#include "waker.h"

/* A walk that other tasks have interrupted this often takes no more new frames than a handler's
 * walk. */
#define MAX_PAUSES	8

/* What NMIs have queued is with its task, or lost. No handler runs any more. */
static void finish_nmi_work(struct oprofile_sampling *s)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_errand **errands = per_cpu_ptr(s->cpu, cpu)->errands;

		for (i = 0; errands && i < OPROFILE_NR_ERRANDS; i++)
			irq_work_sync(&errands[i]->from_nmi);
	}
}

void oprofile_resolver_settle(struct oprofile_sampling *s)
{
	struct oprofile_resolver *r = s->resolver;

	finish_nmi_work(s);
	WRITE_ONCE(r->wake_when_done, true);
	smp_mb();	/* against oprofile_errand_let_go() */
	wait_event_timeout(r->done, !atomic_read(&r->samples), HZ);
	WRITE_ONCE(r->wake_when_done, false);
}

/* What became of an errand. */
enum outcome {
	FOUND,
	TASK_EXITS,
	NO_MAPPING,
	MAP_BUSY,
	NO_COOKIE,
};

/* Where @pc is, and the generation for which that holds. */
static enum outcome find_place(struct oprofile_sampling *s, struct mm_struct *mm, unsigned long pc,
			       struct oprofile_place *place, u64 *generation)
{
	struct vm_area_struct *vma;
	struct file *file;

	/* The task computes and has asked for nothing: it does not wait for us. */
	if (!mmap_read_trylock(mm))
		return MAP_BUSY;
	*generation = oprofile_generation_make(&s->hooks, mm);
	vma = vma_lookup(mm, pc);
	if (!vma) {
		mmap_read_unlock(mm);
		return NO_MAPPING;
	}
	if (oprofile_is_anon(vma)) {
		*place = oprofile_anon_place(vma);
		mmap_read_unlock(mm);
		return FOUND;
	}
	file = vma->vm_file;
	place->offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + pc - vma->vm_start;
	place->kind = 0;
	get_file(file);
	mmap_read_unlock(mm);
	place->cookie = oprofile_cookie_of(&s->identity.cookies, file);
	fput(file);
	return place->cookie == OPROFILE_INVALID_COOKIE ? NO_COOKIE : FOUND;
}

/* Of the current task's program; NO_COOKIE when that is not to be had. */
static u64 make_app(struct oprofile_sampling *s, struct mm_struct *mm)
{
	struct file *exe;
	u64 app;

	exe = oprofile_get_exe_file(mm);
	if (!exe)
		return OPROFILE_NO_COOKIE;
	app = oprofile_cookie_of(&s->identity.cookies, exe);
	fput(exe);
	return app == OPROFILE_INVALID_COOKIE ? OPROFILE_NO_COOKIE : app;
}

/* Counts the sample in the CPU's table, or hands it to the CPU it was taken on if the task has moved
 * since. Interrupts off. True: @p is on that CPU's list now. */
static bool store(struct oprofile_sampling *s, struct oprofile_errand *p, struct oprofile_table *t,
		  const struct oprofile_place *place, u64 generation, u64 app)
{
	const struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.generation = generation,
		.domain = OPROFILE_IN_USER,
	};
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	if (pcpu == p->pcpu) {
		if (!oprofile_table_add_user(t, &id, app, &p->hit, place))
			this_cpu_add(s->cpu->stats.sample_lost_overflow, p->hit.n);
		return false;
	}
	p->who = oprofile_attribute(app);
	p->place = *place;
	llist_add(&p->node, &p->pcpu->strays);
	oprofile_wake(s->waker, false);
	return true;
}

/*
 * A kernel sample was counted by as much of its path as was known then. It is to be counted at @where, if it is @wanted and
 * has not been written meanwhile. The other one of both paths was not taken.
 */
static void recount(struct oprofile_errand *p, struct oprofile_table *t, u64 where, bool wanted)
{
	struct oprofile_hit other = p->hit;
	const struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
	};

	if (where == p->hit.where)
		return;
	if (!wanted || !oprofile_table_recount(t, &id, &p->hit, where))
		other.where = where;
	oprofile_path_untake(this_cpu_ptr(p->pcpu->s->cpu), t->book, &other);
}

/* Look for the path, in the book that @t counts by. Return the place to count the sample at: the
 * path if it was found, else the former place. @paused: see paths.h. */
static u64 find_path(struct oprofile_errand *p, struct oprofile_table *t, bool *paused)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(p->pcpu->s->cpu);
	struct pt_regs *regs = task_pt_regs(current);

	if (!p->asked)
		p->address = p->hit.where;
	if (!t || !t->book)
		return p->hit.where;
	if (!p->asked) {
		p->epoch = t->book->epoch;
		oprofile_path_resolve(pcpu, t->book, &p->hit, paused);
	} else if (p->hit.n && p->epoch == t->book->epoch && p->pcpu == pcpu &&
		   p->address == instruction_pointer(regs) && p->stack == user_stack_pointer(regs)) {
		return oprofile_path_complete(pcpu, t->book, &p->hit, paused);
	}
	return p->hit.where;
}

/*
 * Disable preemption, enter RCU, and return this CPU's table: it stays this CPU's, or it is not emptied yet, and so does its
 * book. With @has_place, look for the path as well. A walk of a deep stack that pauses begins again on a CPU that
 * may be another one.
 */
static struct oprofile_table *enter_table(struct oprofile_errand *p, bool has_place, u64 *where)
{
	struct oprofile_sampling *s = p->pcpu->s;
	u32 pauses = MAX_PAUSES;

	for (;;) {
		bool paused = false;
		struct oprofile_table *t;

		preempt_disable();
		rcu_read_lock();
		t = READ_ONCE(this_cpu_ptr(s->cpu)->active);
		if (has_place && p->run == READ_ONCE(s->resolver->run))
			*where = find_path(p, t, pauses ? &paused : NULL);
		if (!paused)
			return t;
		rcu_read_unlock();
		preempt_enable();
		cond_resched();
		pauses--;
	}
}

/*
 * Enters the outcome in the books, all of it or, when the run of the sample is over, nothing: then
 * it stays counted as unresolved. The end of a run waits for this with RCU.
 */
static bool conclude(struct oprofile_sampling *s, struct oprofile_errand *p, enum outcome outcome,
		     const struct oprofile_place *place, u64 generation, u64 app)
{
	struct oprofile_table *t;
	unsigned long flags;
	bool stray = false;
	u64 where = 0;

	t = enter_table(p, outcome == FOUND, &where);
	local_irq_save(flags);
	if (p->run != READ_ONCE(s->resolver->run)) {
		if (p->asked && where)
			recount(p, t, where, false);
		goto out;
	}
	if (app != OPROFILE_NO_COOKIE)
		oprofile_program_set(&s->identity.programs, p->program, app);
	if (p->asked) {
		if (outcome == FOUND && t) {
			oprofile_table_set_app(t, app);
			recount(p, t, where, true);
		}
		goto out;
	}
	atomic64_sub(p->hit.n, &p->pcpu->unresolved);
	switch (outcome) {
	case FOUND:
		stray = store(s, p, t, place, generation, app);
		break;
	case TASK_EXITS:
		this_cpu_add(s->cpu->stats.sample_lost_task_exit, p->hit.n);
		break;
	case NO_MAPPING:
		this_cpu_add(s->cpu->stats.sample_lost_no_mapping, p->hit.n);
		break;
	case MAP_BUSY:
		this_cpu_add(s->cpu->stats.sample_lost_map_busy, p->hit.n);
		break;
	case NO_COOKIE:
		this_cpu_add(s->cpu->stats.sample_lost_no_cookie, p->hit.n);
		break;
	}
out:
	local_irq_restore(flags);
	rcu_read_unlock();
	preempt_enable();
	return stray;
}

static unsigned long switches(void)
{
	return current->nvcsw + current->nivcsw;
}

/* What was slept or preempted is not our cost, nor what a hypervisor took. */
static void account(struct oprofile_sampling *s, u64 cycles, unsigned long switches_before)
{
	unsigned long flags;

	local_irq_save(flags);
	if (switches() == switches_before)
		this_cpu_add(s->cpu->spent,
			     oprofile_governor_lookup(this_cpu_ptr(&s->cpu->governor), cycles));
	local_irq_restore(flags);
}

static void resolve_work(struct callback_head *work)
{
	struct oprofile_errand *p = container_of(work, struct oprofile_errand, work);
	struct oprofile_asked *const asked = p->asked;
	struct oprofile_sampling *s = p->pcpu->s;
	struct mm_struct *mm = current->mm;
	struct oprofile_place place = { };
	unsigned long switches_before = switches();
	cycles_t start = get_cycles();
	enum outcome outcome = FOUND;
	u64 app = OPROFILE_NO_COOKIE;
	u64 generation = 0;

	if (unlikely(xchg(&p->state, ERRAND_OURS) == ERRAND_LEFT)) {
		oprofile_errand_free_left(s->resolver, p);
		goto out;
	}
	if (!mm || (current->flags & PF_EXITING)) {
		outcome = TASK_EXITS;
	} else if (unlikely(p->exec_id != current->self_exec_id)) {
		outcome = NO_MAPPING;	/* of a life that is over */
	} else if (p->run == READ_ONCE(s->resolver->run)) {
		struct oprofile_known_program program = { };

		if (s->paths->depth)
			oprofile_paths_learn(s, mm, &program);	/* when it was asked for its program, too */
		if (!asked) {
			this_cpu_inc(s->cpu->stats.user_resolved);
			if (!s->paths->depth || !oprofile_paths_find(s, mm, p->hit.where, &place, &generation))
				outcome = find_place(s, mm, p->hit.where, &place, &generation);
		}
		if (outcome == FOUND) {
			p->program = oprofile_program_id(mm);
			app = oprofile_program_of(&s->identity.programs, p->program);
			if (app == OPROFILE_NO_COOKIE)
				app = program.id && p->program == program.id ? program.app : make_app(s, mm);
		}
	}
	WRITE_ONCE(p->holder, 0);
	if (!conclude(s, p, outcome, &place, generation, app))
		oprofile_errand_put(p);
	account(s, get_cycles() - start, switches_before);
	if (oprofile_errand_let_go(s->resolver, asked) && READ_ONCE(s->resolver->wake_when_done))
		wake_up_all(&s->resolver->done);
out:
	module_put(THIS_MODULE);	/* unloading waits for RCU-tasks, so for our return */
}

/* The task does not take it. No wake-up from here: who waits has stopped the handlers first. */
static void give_up(struct oprofile_errand *p, u64 __percpu *loss)
{
	struct oprofile_asked *const asked = p->asked;
	struct oprofile_sampling *s = p->pcpu->s;

	if (!asked) {
		this_cpu_add(*loss, p->hit.n);
		atomic64_sub(p->hit.n, &p->pcpu->unresolved);
	}
	oprofile_errand_put(p);
	oprofile_errand_let_go(s->resolver, asked);
}

static void give_to_current(struct oprofile_errand *p)
{
	WRITE_ONCE(p->holder, current->pid);
	p->state = ERRAND_HELD;
	__module_get(THIS_MODULE);	/* `buffer` is open, which holds it as well */
	if (task_work_add(current, &p->work, TWA_RESUME)) {
		p->state = ERRAND_OURS;
		WRITE_ONCE(p->holder, 0);
		module_put(THIS_MODULE);
		give_up(p, &p->pcpu->s->cpu->stats.sample_lost_task_exit);
	}
}

/* Hard interrupt, right after the NMI. */
void oprofile_resolve_nmi_is_over(struct irq_work *work)
{
	struct oprofile_errand *p = container_of(work, struct oprofile_errand, from_nmi);

	if (likely(p->task == current && p->start_time == current->start_time))
		give_to_current(p);
	else
		give_up(p, &p->pcpu->s->cpu->stats.sample_lost_pending);
}

static void copy_data(struct oprofile_errand *p, const struct oprofile_data *data)
{
	p->data = *data;
	p->data.nr = min_t(u32, data->nr, OPROFILE_MAX_DATA);
	p->data.words = p->words;
	memcpy(p->words, data->words, p->data.nr * sizeof(*p->words));
	p->hit.data = &p->data;
}

/* @epoch: of the hit's path, if it is counted already. */
static void queue(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit, struct oprofile_asked *asked, u32 epoch)
{
	struct oprofile_sampling *s = pcpu->s;
	u8 user = oprofile_errand_user();
	struct oprofile_errand *p;
	bool enough = atomic_inc_return(&pcpu->held_by[user]) > OPROFILE_USER_ERRANDS;

	p = enough ? NULL : oprofile_errand_take(pcpu);
	if (!p) {
		atomic_dec(&pcpu->held_by[user]);
		if (asked)
			oprofile_errand_let_go(s->resolver, asked);
		else if (enough)
			this_cpu_add(s->cpu->stats.sample_lost_user_quota, hit->n);
		else
			this_cpu_add(s->cpu->stats.sample_lost_pending, hit->n);
		return;
	}
	p->user = user;
	p->hit = *hit;
	p->run = s->resolver->run;
	p->exec_id = current->self_exec_id;
	p->asked = asked;
	if (unlikely(hit->data))
		copy_data(p, hit->data);
	if (asked && hit->n) {
		p->address = instruction_pointer(task_pt_regs(current));
		p->stack = user_stack_pointer(task_pt_regs(current));
		p->epoch = epoch;
	}
	init_task_work(&p->work, resolve_work);
	if (!asked) {
		atomic_inc(&s->resolver->samples);
		atomic64_add(hit->n, &pcpu->unresolved);
	}
	if (in_nmi()) {
		p->task = current;
		p->start_time = current->start_time;
		irq_work_queue(&p->from_nmi);
	} else {
		give_to_current(p);
	}
}

void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit)
{
	queue(pcpu, hit, NULL, 0);
}

void oprofile_resolve_app_later(struct oprofile_cpu *pcpu)
{
	static const struct oprofile_hit none = { };
	struct oprofile_asked *asked = oprofile_errand_ask(pcpu->s->resolver);

	if (asked)
		queue(pcpu, &none, asked, 0);
}

void oprofile_resolve_path_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit, u32 epoch)
{
	struct oprofile_asked *asked = oprofile_errand_ask(pcpu->s->resolver);

	if (asked)
		queue(pcpu, hit, asked, epoch);
}
