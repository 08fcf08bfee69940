// SPDX-License-Identifier: GPL-2.0
/* offcpu/ongoing.c -- samples of waits that go on. */
#include "offcpu/ongoing.h"

#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/path.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "group.h"
#include "offcpu/offcpu.h"
#include "offcpu/wait.h"
#include "paths/book.h"
#include "paths/paths.h"
#include "payer.h"
#include "resolve.h"
#include "sampling.h"
#include "segment.h"

/* number of entries to examine between two cond_resched() */
#define ENTRIES_AT_ONCE	256

/* A wait that goes on. */
struct ongoing {
	struct oprofile_sampling *s;
	struct oprofile_offcpu_thread *entry;
	struct task_struct *task;	/* the thread; the struct holds a reference */
	u64 since;			/* begin of the wait, or of its part without samples */
	/* registers with which the thread returns to its program, and the program's memory, to
	 * which the struct holds a reference; NULL: the thread has no program */
	struct pt_regs user;
	struct mm_struct *mm;
	/* the program, and without call paths the place of the wait in it */
	struct oprofile_resolved at;
	u64 payer;			/* the user of the program (payer.h) */
	struct work_struct work;	/* takes the samples with call paths */
	bool room;			/* whether the CPU's table has room */
	/* take the samples even if the table has no room: it was drained just now, and is full
	 * again */
	bool again;
};

/* The samples to take of a wait, with their table, place and call path. */
struct taken {
	struct oprofile_table *table;	/* of this CPU */
	struct oprofile_hit hit;
	u32 domain;
	/* with call paths: the user path, and the reason for its end */
	u32 user_node, user_end;
	/* for the account. Drawn before the entry is locked, because the generator of random
	 * numbers may sleep on a real-time kernel. */
	u64 random;
};

/* Return whether a sample of the wait of the locked entry is due. */
static bool is_due(const struct oprofile_offcpu *o, struct oprofile_offcpu_thread *e, u64 since)
{
	u64 now = oprofile_offcpu_now();

	/* The thread cannot run, and so cannot end, while its entry is locked. */
	return now > since && e->account.away + (now - since) >= e->account.moment &&
	       o->event[oprofile_offcpu_reason(e, (struct task_struct *)e->task)] !=
		       OPROFILE_OFFCPU_NO_EVENT;
}

/* Return the cookie of the program of the locked thread, or OPROFILE_NO_COOKIE if it is unknown. */
static u64 program_of(const struct ongoing *w)
{
	return oprofile_program_of(&w->s->identity.programs, oprofile_program_id(w->task->mm));
}

/* If samples of the wait of the entry's thread are due, describe the wait in *@w, and take a
 * reference to the thread. The wait may end at any time. */
static bool find_wait(struct ongoing *w, bool *has_place)
{
	const struct oprofile_offcpu *o = w->s->offcpu;
	unsigned long flags;
	bool due = false;

	local_irq_save(flags);
	w->since = oprofile_offcpu_thread_lock(w->entry);
	if (w->since) {
		due = is_due(o, w->entry, w->since);
		if (due) {
			w->task = get_task_struct((struct task_struct *)w->entry->task);
			*has_place = oprofile_offcpu_has_place(w->task);
			if (*has_place)
				w->user = *task_pt_regs(w->task);
			else if (w->task->mm && !(w->task->flags & PF_KTHREAD))
				w->at.app = program_of(w);
		}
		oprofile_offcpu_thread_unlock(w->entry, w->since);
	}
	local_irq_restore(flags);
	return due;
}

/* Return whether the thread has the current task's root directory, so that both see the same names
 * of files. Their mount namespaces may differ: a service manager starts the daemon in a copy of its
 * own. */
static bool has_our_root(struct task_struct *task)
{
	struct path ours;
	bool same;

	get_fs_root(current->fs, &ours);
	task_lock(task);
	same = task->fs && task->fs->root.dentry == ours.dentry;
	task_unlock(task);
	path_put(&ours);
	return same;
}

/* Find the program of the thread, and the place of the wait in it. Return false if they cannot be
 * found now. */
static bool find_place(struct ongoing *w)
{
	if (!has_our_root(w->task))
		return false;
	w->mm = get_task_mm(w->task);
	if (!w->mm)
		return false;
	rcu_read_lock();
	w->payer = oprofile_payer_of(__task_cred(w->task));
	rcu_read_unlock();
	return oprofile_resolve_other(w->s, w->mm, oprofile_user_pc(&w->user), w->payer,
				      w->task->tgid, &w->at);
}

/* Set @regs to the kernel function that called the scheduler. The entry is locked. Return false if
 * the thread has not left its CPU completely. */
static bool find_kernel_place(const struct ongoing *w, struct pt_regs *regs)
{
	const struct oprofile_offcpu *o = w->s->offcpu;
	struct oprofile_kernel_frame frame;

#ifdef CONFIG_SMP
	if (smp_load_acquire(&w->task->on_cpu))
		return false;
#endif
	frame = oprofile_kernel_frame_of(w->task);
	oprofile_kernel_caller(w->task, regs, &frame, o->scheduler_start, o->scheduler_end);
	return true;
}

/* Add the samples of @to to this CPU's table. */
static void add_samples(const struct ongoing *w, const struct taken *to)
{
	const struct oprofile_task_id id = {
		.task = w->task,
		.start_time = w->task->start_time,
		.exec_id = w->task->self_exec_id,
		.generation = w->at.generation,
		.group = oprofile_group_of(w->s, w->task),
		.domain = to->domain,
	};
	const struct oprofile_attribution who = oprofile_attribute_to(w->task, w->at.app, id.group);

	this_cpu_add(w->s->cpu->stats.sample_received, to->hit.n);
	if (!oprofile_table_add_for(to->table, &id, &who, &to->hit, &w->at.place))
		this_cpu_add(w->s->cpu->stats.sample_lost_overflow, to->hit.n);
}

/* Take the samples of the wait up to now. The entry is locked. Return the begin of the rest of the
 * wait. */
static u64 take_locked(struct ongoing *w, struct taken *to)
{
	const struct oprofile_offcpu *o = w->s->offcpu;
	struct oprofile_offcpu_thread *e = w->entry;
	u64 now = oprofile_offcpu_now();
	struct pt_regs regs;

	if (now <= w->since)
		return w->since;
	if (to->domain == OPROFILE_IN_USER)
		to->hit.where = oprofile_user_pc(&w->user);
	else if (!find_kernel_place(w, &regs))
		return w->since;
	else
		to->hit.where = instruction_pointer(&regs);
	to->hit.n = oprofile_offcpu_wait(&e->account, now - w->since, o->period, to->random);
	to->hit.event = o->event[oprofile_offcpu_reason(e, w->task)];
	this_cpu_add(w->s->cpu->stats.offcpu_ns, now - w->since);
	if (to->table->book && (!w->mm || to->user_node))
		oprofile_path_kernel_of(this_cpu_ptr(w->s->cpu), to->table->book, w->task, &regs,
					to->user_node, to->user_end, &to->hit);
	if (to->hit.n)
		add_samples(w, to);
	return now;
}

/* Take the samples of the wait up to now, if it goes on. If the table has no room, only clear
 * w->room. With call paths, the caller has switched to the memory map of the thread. */
static void take(struct ongoing *w)
{
	struct oprofile_cpu *pcpu;
	struct taken to = { .random = get_random_u64() };
	unsigned long flags;
	u64 since;

	local_irq_save(flags);
	pcpu = this_cpu_ptr(w->s->cpu);
	to.table = READ_ONCE(pcpu->active);
	/* If this CPU is not sampled, skip the wait: it gets its samples when it ends. */
	if (!to.table || !pcpu->here || pcpu->err)
		goto out;
	/* If the setting of call paths has changed since the table got its book, skip the wait. */
	if (!w->s->paths->depth != !to.table->book)
		goto out;
	w->room = w->again || oprofile_table_has_room(to.table);
	if (!w->room)
		goto out;
	to.domain = w->mm && !to.table->book ? OPROFILE_IN_USER : OPROFILE_IN_KERNEL;
	if (to.table->book)
		oprofile_path_nodes_pay_for(&to.table->book->nodes, w->payer);
	if (w->mm && to.table->book)
		to.user_node = oprofile_path_user_of(pcpu, to.table->book, w->mm, &w->user,
						     &to.user_end);
	since = oprofile_offcpu_thread_lock(w->entry);
	if (since && since == w->since && w->entry->task == w->task)
		since = take_locked(w, &to);
	if (since)
		oprofile_offcpu_thread_unlock(w->entry, since);
	if (to.table->book)
		oprofile_path_nodes_pay_end(&to.table->book->nodes);
out:
	local_irq_restore(flags);
}

/* Function of w->work, called in a worker, because only a thread of the kernel can switch to the
 * memory map of another program. */
static void take_with_path(struct work_struct *work)
{
	struct ongoing *w = container_of(work, struct ongoing, work);

	if (w->mm)
		kthread_use_mm(w->mm);
	take(w);
	if (w->mm)
		kthread_unuse_mm(w->mm);
}

/* Sample the wait of the entry's thread, if it waits. Return false if the table has no room.
 * @again: see struct ongoing. */
static bool sample(struct oprofile_sampling *s, struct oprofile_offcpu_thread *e, bool again)
{
	struct ongoing w = {
		.s = s, .entry = e, .room = true, .again = again,
		.at = { .app = OPROFILE_NO_COOKIE, .place.cookie = OPROFILE_NO_COOKIE },
	};
	bool has_place;

	if (!READ_ONCE(e->since) || !find_wait(&w, &has_place))
		return true;
	if (has_place && !find_place(&w))
		goto out;
	if (s->paths->depth) {
		INIT_WORK_ONSTACK(&w.work, take_with_path);
		queue_work(system_dfl_wq, &w.work);
		flush_work(&w.work);
		destroy_work_on_stack(&w.work);
	} else {
		take(&w);
	}
out:
	/* not mmput(): if the program has ended, mmput() frees all its memory, which takes long */
	if (w.mm)
		mmput_async(w.mm);
	put_task_struct(w.task);
	return w.room;
}

bool oprofile_ongoing_sample(struct oprofile_sampling *s, bool begin)
{
	struct oprofile_offcpu *o = s->offcpu;
	size_t first, at;

	lockdep_assert_held(&s->lock);
	if (!o->threads.bucket || (!begin && !o->next))
		return false;
	first = begin ? 0 : o->next - 1;
	for (at = first; at < oprofile_offcpu_threads_room(&o->threads); at++) {
		if (!sample(s, oprofile_offcpu_thread_at(&o->threads, at),
			    !begin && at == first)) {
			o->next = at + 1;
			return true;
		}
		if (at % ENTRIES_AT_ONCE == 0)
			cond_resched();
	}
	o->next = 0;
	return false;
}
