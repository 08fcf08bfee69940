// SPDX-License-Identifier: GPL-2.0
/*
 * resolve.c -- resolution of user addresses by the sampled task.
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
#include "group.h"
#include "lookup.h"
#include "payer.h"
#include "paths/paths.h"
#include "sampling.h"
#include "uapi/oprofile.h"
#include "waker.h"

/* After a walk has been paused this many times because other tasks waited for the CPU, it
 * continues without pauses, but finds at most as many new frames as a handler's walk. */
#define MAX_PAUSES	8

/* Wait until all irq_works that NMI handlers have queued are done. No handler may run any more. */
static void finish_nmi_work(struct oprofile_sampling *s)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_lookup **lookups = per_cpu_ptr(s->cpu, cpu)->lookups;

		for (i = 0; lookups && i < OPROFILE_NR_LOOKUPS; i++)
			irq_work_sync(&lookups[i]->from_nmi);
	}
}

void oprofile_resolver_wait(struct oprofile_sampling *s)
{
	struct oprofile_resolver *r = s->resolver;

	finish_nmi_work(s);
	WRITE_ONCE(r->wake_when_done, true);
	smp_mb();	/* pairs with oprofile_lookup_done() */
	wait_event_timeout(r->done, !atomic_read(&r->samples), HZ);
	WRITE_ONCE(r->wake_when_done, false);
}

/* Result of the lookup of an address. */
enum outcome {
	FOUND,
	TASK_EXITS,
	NO_MAPPING,
	MAP_BUSY,
	NO_COOKIE,
};

/* Find the file and offset of @pc, and the generation of the memory map for which they are valid.
 * @payer: the user who pays for a new cookie. */
static enum outcome find_place(struct oprofile_sampling *s, struct mm_struct *mm, unsigned long pc,
			       u64 payer, struct oprofile_place *place, u64 *generation)
{
	struct vm_area_struct *vma;
	struct file *file;

	/* Do not make the sampled task wait for a thread that changes the map. */
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
	place->cookie = oprofile_cookie_paid_by(&s->identity.cookies, file, payer);
	fput(file);
	return place->cookie == OPROFILE_INVALID_COOKIE ? NO_COOKIE : FOUND;
}

/* Return the cookie of the program of @mm; OPROFILE_NO_COOKIE on failure. */
static u64 make_app(struct oprofile_sampling *s, struct mm_struct *mm, u64 payer)
{
	struct file *exe;
	u64 app;

	exe = oprofile_get_exe_file(mm);
	if (!exe)
		return OPROFILE_NO_COOKIE;
	app = oprofile_cookie_paid_by(&s->identity.cookies, exe, payer);
	fput(exe);
	return app == OPROFILE_INVALID_COOKIE ? OPROFILE_NO_COOKIE : app;
}

bool oprofile_resolve_other(struct oprofile_sampling *s, struct mm_struct *mm, unsigned long pc,
			    u64 payer, pid_t tgid, struct oprofile_resolved *to)
{
	u64 program = oprofile_program_id(mm);
	struct oprofile_known_program unused;

	if (s->paths->depth)
		oprofile_paths_read_mappings(s, mm, payer, tgid, &unused);
	else if (find_place(s, mm, pc, payer, &to->place, &to->generation) != FOUND)
		return false;
	to->app = oprofile_program_of(&s->identity.programs, program);
	if (to->app == OPROFILE_NO_COOKIE) {
		to->app = make_app(s, mm, payer);
		if (to->app != OPROFILE_NO_COOKIE)
			oprofile_program_set(&s->identity.programs, program, to->app);
	}
	return true;
}

/*
 * Count the sample of @p in this CPU's table @t. If the task has migrated after the sample, instead
 * add @p to the .moved list of the CPU that took the sample, and return true. Interrupts are off.
 */
static bool store(struct oprofile_sampling *s, struct oprofile_lookup *p, struct oprofile_table *t,
		  const struct oprofile_place *place, u64 generation, u64 app)
{
	const struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.group = p->group,
		.generation = generation,
		.domain = OPROFILE_IN_USER,
		.woken = p->hit.woken,
	};
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	if (pcpu == p->pcpu) {
		if (!oprofile_table_add_user(t, &id, app, &p->hit, place))
			this_cpu_add(s->cpu->stats.sample_lost_overflow, p->hit.n);
		return false;
	}
	p->who = oprofile_attribute(app, p->group);
	p->who.woken = p->hit.woken;
	p->place = *place;
	llist_add(&p->node, &p->pcpu->moved);
	oprofile_wake(s->waker, false);
	return true;
}

/*
 * The NMI handler has counted a kernel sample by the known part of its call path. If @wanted, count
 * the sample by the whole path @where instead, unless the sample has been drained already. Undo the
 * count of the path that is not used.
 */
static void recount(struct oprofile_lookup *p, struct oprofile_table *t, u64 where, bool wanted)
{
	struct oprofile_hit other = p->hit;
	const struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.group = p->group,
	};

	if (where == p->hit.where)
		return;
	if (!wanted || !oprofile_table_recount(t, &id, &p->hit, where))
		other.where = where;
	oprofile_path_uncount(this_cpu_ptr(p->pcpu->s->cpu), t->book, &other);
}

/* Find the call path of the hit, and store its nodes in the book of the table @t. Return the
 * path, or p->hit.where if no path was found. @paused: see oprofile_path_resolve(). */
static u64 find_path(struct oprofile_lookup *p, struct oprofile_table *t, bool *paused)
{
	struct oprofile_cpu *pcpu = this_cpu_ptr(p->pcpu->s->cpu);
	struct pt_regs *regs = task_pt_regs(current);

	if (!p->request)
		p->address = p->hit.where;
	if (!t || !t->book || p->hit.woken)
		return p->hit.where;
	if (!p->request) {
		p->epoch = t->book->epoch;
		oprofile_path_resolve(pcpu, t->book, &p->hit, paused);
	} else if (p->hit.n && p->epoch == t->book->epoch && p->pcpu == pcpu &&
		   p->address == instruction_pointer(regs) &&
		   p->stack == user_stack_pointer(regs)) {
		return oprofile_path_complete(pcpu, t->book, &p->hit, paused);
	}
	return p->hit.where;
}

/*
 * Disable preemption, begin an RCU read-side section, and return this CPU's table. Until the
 * section ends, the drain does not empty the table and does not free its book of call paths. If
 * @has_place, also find the call path of the hit, and store it in *@where. If the walk of a deep
 * stack is paused, end the RCU section and start again, perhaps on another CPU.
 */
static struct oprofile_table *enter_table(struct oprofile_lookup *p, bool has_place, u64 *where)
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
 * Add the outcome of a lookup to the counters, and return true. If the run of sampling has ended
 * after the sample, return false: the sample stays counted as unresolved. The end of a run waits
 * for an RCU grace period, so the run cannot end during this function.
 */
static bool account_outcome(struct oprofile_sampling *s, struct oprofile_lookup *p,
			    enum outcome outcome, const struct oprofile_place *place,
			    u64 generation, u64 app)
{
	struct oprofile_table *t;
	unsigned long flags;
	bool moved = false;
	u64 where = 0;

	t = enter_table(p, outcome == FOUND, &where);
	local_irq_save(flags);
	if (p->run != READ_ONCE(s->resolver->run)) {
		if (p->request && where)
			recount(p, t, where, false);
		goto out;
	}
	if (app != OPROFILE_NO_COOKIE)
		oprofile_program_set(&s->identity.programs, p->program, app);
	if (p->request) {
		if (outcome == FOUND && t) {
			oprofile_table_set_app(t, app, p->group);
			recount(p, t, where, true);
		}
		goto out;
	}
	atomic64_sub(p->hit.n, &p->pcpu->unresolved);
	switch (outcome) {
	case FOUND:
		moved = store(s, p, t, place, generation, app);
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
	return moved;
}

static unsigned long switches(void)
{
	return current->nvcsw + current->nivcsw;
}

/* Account the cost of a lookup. Exclude the time in which the task slept or was preempted, and time
 * stolen by a hypervisor. */
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
	struct oprofile_lookup *p = container_of(work, struct oprofile_lookup, work);
	struct oprofile_request *const request = p->request;
	struct oprofile_sampling *s = p->pcpu->s;
	struct mm_struct *mm = current->mm;
	struct oprofile_place place = { };
	unsigned long switches_before = switches();
	cycles_t start = get_cycles();
	enum outcome outcome = FOUND;
	u64 app = OPROFILE_NO_COOKIE;
	u64 generation = 0;

	if (unlikely(xchg(&p->state, LOOKUP_IDLE) == LOOKUP_ABANDONED)) {
		oprofile_lookup_free_abandoned(s->resolver, p);
		goto out;
	}
	if (!mm || (current->flags & PF_EXITING)) {
		outcome = TASK_EXITS;
	} else if (unlikely(p->exec_id != current->self_exec_id)) {
		outcome = NO_MAPPING;	/* exec has replaced the program after the sample */
	} else if (p->run == READ_ONCE(s->resolver->run)) {
		struct oprofile_known_program program = { };

		if (s->paths->depth)
			/* also for a request, because this call may find the program's cookie */
			oprofile_paths_read_mappings(s, mm, oprofile_payer(), current->tgid,
						     &program);
		if (!request) {
			this_cpu_inc(s->cpu->stats.user_resolved);
			if (!s->paths->depth ||
			    !oprofile_paths_find(s, mm, p->hit.where, &place, &generation))
				outcome = find_place(s, mm, p->hit.where, oprofile_payer(), &place,
						     &generation);
		}
		if (outcome == FOUND) {
			p->program = oprofile_program_id(mm);
			app = oprofile_program_of(&s->identity.programs, p->program);
			if (app == OPROFILE_NO_COOKIE)
				app = program.id && p->program == program.id ?
					      program.app : make_app(s, mm, oprofile_payer());
		}
	}
	WRITE_ONCE(p->holder, 0);
	if (!account_outcome(s, p, outcome, &place, generation, app))
		oprofile_lookup_put(p);
	account(s, get_cycles() - start, switches_before);
	if (unlikely(oprofile_cookies_has_foreign(&s->identity.cookies)))
		oprofile_wake_for_files(s->waker);
	if (oprofile_lookup_done(s->resolver, request) && READ_ONCE(s->resolver->wake_when_done))
		wake_up_all(&s->resolver->done);
out:
	/* module unloading waits for RCU-tasks, so the module stays loaded until this function has
	 * returned */
	module_put(THIS_MODULE);
}

/* Put a lookup that cannot be queued back into the pool, and count its sample in @loss. No wake-up
 * is needed, because oprofile_resolver_wait() runs only when no handler runs. */
static void discard_lookup(struct oprofile_lookup *p, u64 __percpu *loss)
{
	struct oprofile_request *const request = p->request;
	struct oprofile_sampling *s = p->pcpu->s;

	if (!request) {
		this_cpu_add(*loss, p->hit.n);
		atomic64_sub(p->hit.n, &p->pcpu->unresolved);
	}
	oprofile_lookup_put(p);
	oprofile_lookup_done(s->resolver, request);
}

static void queue_on_current(struct oprofile_lookup *p)
{
	WRITE_ONCE(p->holder, current->pid);
	p->state = LOOKUP_QUEUED;
	/* allowed in a handler, because the open file `buffer` already has a reference to the
	 * module */
	__module_get(THIS_MODULE);
	if (task_work_add(current, &p->work, TWA_RESUME)) {
		p->state = LOOKUP_IDLE;
		WRITE_ONCE(p->holder, 0);
		module_put(THIS_MODULE);
		discard_lookup(p, &p->pcpu->s->cpu->stats.sample_lost_task_exit);
	}
}

/* Function of the irq_work that an NMI or a probe with interrupts off has queued. Called in the
 * hard interrupt that follows. */
void oprofile_resolve_nmi_is_over(struct irq_work *work)
{
	struct oprofile_lookup *p = container_of(work, struct oprofile_lookup, from_nmi);

	if (likely(p->task == current && p->start_time == current->start_time))
		queue_on_current(p);
	else
		discard_lookup(p, &p->pcpu->s->cpu->stats.sample_lost_pending);
}

static void copy_data(struct oprofile_lookup *p, const struct oprofile_data *data)
{
	p->data = *data;
	p->data.nr = min_t(u32, data->nr, OPROFILE_MAX_DATA);
	p->data.words = p->words;
	memcpy(p->words, data->words, p->data.nr * sizeof(*p->words));
	p->hit.data = &p->data;
}

/* Queue a lookup on the current task. @epoch: if the hit is counted already, the epoch (number) of
 * the book that contains the hit's path. */
static void queue(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit,
		  struct oprofile_request *request, u32 epoch)
{
	struct oprofile_sampling *s = pcpu->s;
	u8 user = oprofile_lookup_user();
	struct oprofile_lookup *p;
	bool enough = atomic_inc_return(&pcpu->held_by[user]) > OPROFILE_USER_LOOKUPS;

	p = enough ? NULL : oprofile_lookup_get(pcpu);
	if (!p) {
		atomic_dec(&pcpu->held_by[user]);
		if (request)
			oprofile_lookup_done(s->resolver, request);
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
	p->group = oprofile_group(s);
	p->request = request;
	if (unlikely(hit->data))
		copy_data(p, hit->data);
	if (request && hit->n) {
		p->address = instruction_pointer(task_pt_regs(current));
		p->stack = user_stack_pointer(task_pt_regs(current));
		p->epoch = epoch;
	}
	init_task_work(&p->work, resolve_work);
	if (!request) {
		atomic_inc(&s->resolver->samples);
		atomic64_add(hit->n, &pcpu->unresolved);
		pcpu->last_lookup = p;
	}
	/* A waker is sampled with locks of the scheduler held, under which task_work_add() may not
	 * be called. */
	if (in_nmi() || hit->woken) {
		p->task = current;
		p->start_time = current->start_time;
		irq_work_queue(&p->from_nmi);
	} else {
		queue_on_current(p);
	}
}

void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit)
{
	queue(pcpu, hit, NULL, 0);
}

bool oprofile_resolve_again(struct oprofile_lookup *p, unsigned long pc, u32 event, u64 n)
{
	/* .holder names the current task only from the time when the lookup is queued on it. The
	 * task changes .state before it reads .hit, so this call cannot come between. */
	if (!p || READ_ONCE(p->holder) != current->pid || p->state != LOOKUP_QUEUED ||
	    p->run != READ_ONCE(p->pcpu->s->resolver->run) || p->request ||
	    p->exec_id != current->self_exec_id || p->hit.where != pc || p->hit.event != event ||
	    p->hit.data || p->hit.woken || p->group != oprofile_group(p->pcpu->s))
		return false;
	p->hit.n += n;
	atomic64_add(n, &p->pcpu->unresolved);
	return true;
}

void oprofile_resolve_app_later(struct oprofile_cpu *pcpu)
{
	static const struct oprofile_hit none = { };
	struct oprofile_request *request = oprofile_request_begin(pcpu->s->resolver);

	if (request)
		queue(pcpu, &none, request, 0);
}

void oprofile_resolve_path_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit,
				 u32 epoch)
{
	struct oprofile_request *request = oprofile_request_begin(pcpu->s->resolver);

	if (request)
		queue(pcpu, hit, request, epoch);
}
