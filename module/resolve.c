// SPDX-License-Identifier: GPL-2.0
/*
 * resolve.c -- user addresses looked up by the task they were found in.
 */
#include "resolve.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "compat/compat.h"
#include "session.h"
#include "uapi/oprofile.h"

void oprofile_resolver_init(struct oprofile_resolver *r)
{
	init_waitqueue_head(&r->done);
}

/* What NMIs have queued is with its task, or lost. No handler runs any more. */
static void finish_nmi_work(struct oprofile_session *s)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_pending **pending = per_cpu_ptr(s->cpu, cpu)->pending;

		for (i = 0; pending && i < OPROFILE_NR_PENDING; i++)
			irq_work_sync(&pending[i]->from_nmi);
	}
}

void oprofile_resolver_settle(struct oprofile_session *s)
{
	struct oprofile_resolver *r = &s->resolver;

	finish_nmi_work(s);
	WRITE_ONCE(r->wake_when_done, true);
	smp_mb();	/* against let_go() */
	wait_event_timeout(r->done, !atomic_read(&r->samples), HZ);
	WRITE_ONCE(r->wake_when_done, false);
}

static atomic_t *holders(struct oprofile_resolver *r, bool wants_sample)
{
	return wants_sample ? &r->samples : &r->naming;
}

static void let_go(struct oprofile_resolver *r, bool wants_sample)
{
	if (atomic_dec_and_test(holders(r, wants_sample)) && READ_ONCE(r->wake_when_done))
		wake_up_all(&r->done);
}

static u32 anon_kind(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_ops && vma->vm_ops->name) {
		const char *name = vma->vm_ops->name((struct vm_area_struct *)vma);

		if (name && !strcmp(name, "[vdso]"))
			return OPROFILE_ANON_VDSO;
	}
	if (vma->vm_start < mm->brk && vma->vm_end > mm->start_brk)
		return OPROFILE_ANON_HEAP;
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return OPROFILE_ANON_STACK;
	return OPROFILE_ANON_PLAIN;
}

/*
 * A file that only the kernel can name ("/dev/zero (deleted)", SysV shared memory, huge pages) is
 * anonymous memory to its user. A memfd has the name its maker gave it.
 */
static bool is_nameless(const struct file *file)
{
	return (file_inode(file)->i_sb->s_flags & SB_KERNMOUNT) &&
	       strncmp(file->f_path.dentry->d_name.name, "memfd:", 6) != 0;
}

/* What became of a record. */
enum outcome {
	FOUND,
	TASK_EXITS,
	NO_MAPPING,
	NO_COOKIE,
};

/* Where @pc is, and the generation for which that holds. */
static enum outcome find_place(struct oprofile_session *s, struct mm_struct *mm, unsigned long pc,
			       struct oprofile_place *place, u32 *generation)
{
	struct vm_area_struct *vma;
	struct file *file;

	mmap_read_lock(mm);
	*generation = oprofile_generation(&s->watch, mm);
	vma = vma_lookup(mm, pc);
	if (!vma) {
		mmap_read_unlock(mm);
		return NO_MAPPING;
	}
	file = vma->vm_file;
	if (!file || is_nameless(file)) {
		place->cookie = OPROFILE_NO_COOKIE;
		place->start = vma->vm_start;
		place->end = vma->vm_end;
		place->kind = anon_kind(vma);
		mmap_read_unlock(mm);
		return FOUND;
	}
	place->offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + pc - vma->vm_start;
	place->kind = 0;
	get_file(file);
	mmap_read_unlock(mm);
	place->cookie = oprofile_cookie_of(&s->cookies, file);
	fput(file);
	return place->cookie == OPROFILE_INVALID_COOKIE ? NO_COOKIE : FOUND;
}

/* Of the current task's program; NO_COOKIE when that is not to be had. */
static u64 make_app(struct oprofile_session *s, struct mm_struct *mm)
{
	struct file *exe;
	u64 app;

	exe = oprofile_get_exe_file(mm);
	if (!exe)
		return OPROFILE_NO_COOKIE;
	app = oprofile_cookie_of(&s->cookies, exe);
	fput(exe);
	return app == OPROFILE_INVALID_COOKIE ? OPROFILE_NO_COOKIE : app;
}

/* Counts the sample in the CPU's table, or hands it to the CPU it was taken on if the task has moved
 * since. Interrupts off. True: @p is on that CPU's list now. */
static bool store(struct oprofile_session *s, struct oprofile_pending *p,
		  const struct oprofile_place *place, u32 generation, u64 app)
{
	const struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.generation = generation,
		.user = 1,
	};
	struct cpu_buffer *cb = this_cpu_ptr(s->cpu);
	bool stored;

	if (cb == p->cb) {
		if (unlikely(p->data.code))
			stored = oprofile_cpu_buffer_add_user_record(cb, &id, app, p->pc, &p->data,
								     place);
		else
			stored = oprofile_cpu_buffer_add_user(cb, &id, app, p->pc, p->event, place);
		if (!stored)
			this_cpu_inc(s->cpu->stats.sample_lost_overflow);
		return false;
	}
	p->tid = current->pid;
	p->tgid = current->tgid;
	p->app = app;
	p->place = *place;
	llist_add(&p->node, &p->cb->strays);
	oprofile_sync_kick(&s->sync, false);
	return true;
}

/*
 * Enters the outcome in the books, all of it or, when the run of the sample is over, nothing: then
 * it stays counted as unresolved. The end of a run waits for this with RCU.
 */
static bool conclude(struct oprofile_session *s, struct oprofile_pending *p, enum outcome outcome,
		     const struct oprofile_place *place, u32 generation, u64 app)
{
	unsigned long flags;
	bool stray = false;

	local_irq_save(flags);
	if (p->run != READ_ONCE(s->resolver.run))
		goto out;
	if (app != OPROFILE_NO_COOKIE)
		oprofile_program_set(&s->programs, p->program, app);
	if (!p->wants_sample) {
		if (outcome == FOUND && this_cpu_read(s->cpu->active))
			oprofile_cpu_buffer_set_app(this_cpu_ptr(s->cpu), app);
		goto out;
	}
	atomic_dec(&p->cb->unresolved);
	switch (outcome) {
	case FOUND:
		stray = store(s, p, place, generation, app);
		break;
	case TASK_EXITS:
		this_cpu_inc(s->cpu->stats.sample_lost_task_exit);
		break;
	case NO_MAPPING:
		this_cpu_inc(s->cpu->stats.sample_lost_no_mapping);
		break;
	case NO_COOKIE:
		this_cpu_inc(s->cpu->stats.sample_lost_no_cookie);
		break;
	}
out:
	local_irq_restore(flags);
	return stray;
}

static unsigned long switches(void)
{
	return current->nvcsw + current->nivcsw;
}

static void resolve_work(struct callback_head *work)
{
	struct oprofile_pending *p = container_of(work, struct oprofile_pending, work);
	const bool wants_sample = p->wants_sample;
	struct oprofile_session *s = p->cb->s;
	struct mm_struct *mm = current->mm;
	struct oprofile_place place = { };
	unsigned long switches_before = switches();
	cycles_t start = get_cycles();
	enum outcome outcome = FOUND;
	u64 app = OPROFILE_NO_COOKIE;
	u32 generation = 0;

	if (!mm || (current->flags & PF_EXITING)) {
		outcome = TASK_EXITS;
	} else if (unlikely(p->exec_id != current->self_exec_id)) {
		outcome = NO_MAPPING;	/* of a life that is over */
	} else if (p->run == READ_ONCE(s->resolver.run)) {
		if (wants_sample) {
			this_cpu_inc(s->cpu->stats.user_resolved);
			outcome = find_place(s, mm, p->pc, &place, &generation);
		}
		if (outcome == FOUND) {
			p->program = oprofile_program_id(mm);
			app = oprofile_program_of(&s->programs, p->program);
			if (app == OPROFILE_NO_COOKIE)
				app = make_app(s, mm);
		}
	}
	WRITE_ONCE(p->holder, 0);
	if (!conclude(s, p, outcome, &place, generation, app))
		oprofile_pending_put(p);
	/* What was slept or preempted is not our cost. */
	if (switches() == switches_before)
		this_cpu_add(s->cpu->spent, get_cycles() - start);
	let_go(&s->resolver, wants_sample);
	module_put(THIS_MODULE);	/* unloading waits for RCU-tasks, so for our return */
}

size_t oprofile_resolver_holders(struct oprofile_session *s, char *text, size_t size)
{
	size_t len = 0;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_pending **pending = READ_ONCE(per_cpu_ptr(s->cpu, cpu)->pending);

		for (i = 0; pending && i < OPROFILE_NR_PENDING; i++) {
			pid_t holder = READ_ONCE(pending[i]->holder);

			if (holder)
				len += scnprintf(text + len, size - len, "%d\n", holder);
		}
	}
	return len;
}

/* One that nobody holds, or NULL. An NMI may come in and take one, too. */
static struct oprofile_pending *take(struct cpu_buffer *cb)
{
	unsigned long word;
	int i;

	for (i = 0; i < ARRAY_SIZE(cb->free); i++) {
		while ((word = READ_ONCE(cb->free[i])) != 0) {
			int bit = __ffs(word);

			if (likely(test_and_clear_bit(bit, &cb->free[i])))
				return cb->pending[i * BITS_PER_LONG + bit];
		}
	}
	return NULL;
}

/* The task does not take it. No wake-up from here: who waits has stopped the handlers first. */
static void give_up(struct oprofile_pending *p, u64 __percpu *loss)
{
	const bool wants_sample = p->wants_sample;
	struct oprofile_session *s = p->cb->s;

	if (wants_sample) {
		this_cpu_inc(*loss);
		atomic_dec(&p->cb->unresolved);
	}
	oprofile_pending_put(p);
	atomic_dec(holders(&s->resolver, wants_sample));
}

static void give_to_current(struct oprofile_pending *p)
{
	WRITE_ONCE(p->holder, current->pid);
	__module_get(THIS_MODULE);	/* `buffer` is open, which holds it as well */
	if (task_work_add(current, &p->work, TWA_RESUME)) {
		WRITE_ONCE(p->holder, 0);
		module_put(THIS_MODULE);
		give_up(p, &p->cb->s->cpu->stats.sample_lost_task_exit);
	}
}

/* Hard interrupt, right after the NMI. */
static void nmi_is_over(struct irq_work *work)
{
	struct oprofile_pending *p = container_of(work, struct oprofile_pending, from_nmi);

	if (likely(p->task == current && p->start_time == current->start_time))
		give_to_current(p);
	else
		give_up(p, &p->cb->s->cpu->stats.sample_lost_pending);
}

static void queue(struct cpu_buffer *cb, unsigned long pc, u32 event,
		  const struct oprofile_data *data, bool wants_sample)
{
	struct oprofile_session *s = cb->s;
	struct oprofile_pending *p;

	if (!wants_sample && atomic_read(&s->resolver.naming) >= OPROFILE_MAX_NAMING)
		return;
	p = take(cb);
	if (!p) {
		if (wants_sample)
			this_cpu_inc(s->cpu->stats.sample_lost_pending);
		return;
	}
	p->pc = pc;
	p->event = event;
	p->run = s->resolver.run;
	p->exec_id = current->self_exec_id;
	p->wants_sample = wants_sample;
	if (unlikely(data))
		p->data = *data;
	else
		p->data.code = 0;
	init_task_work(&p->work, resolve_work);
	atomic_inc(holders(&s->resolver, wants_sample));
	if (wants_sample)
		atomic_inc(&cb->unresolved);
	if (in_nmi()) {
		p->task = current;
		p->start_time = current->start_time;
		irq_work_queue(&p->from_nmi);
	} else {
		give_to_current(p);
	}
}

void oprofile_resolve_later(struct cpu_buffer *cb, unsigned long pc, u32 event,
			    const struct oprofile_data *data)
{
	queue(cb, pc, event, data, true);
}

void oprofile_resolve_app_later(struct cpu_buffer *cb)
{
	queue(cb, 0, 0, NULL, false);
}

static struct oprofile_pending *pending_new(struct cpu_buffer *cb, u32 index)
{
	struct oprofile_pending *p = kzalloc_node(sizeof(*p), GFP_KERNEL, cpu_to_node(cb->cpu));

	if (!p)
		return NULL;
	p->cb = cb;
	p->index = index;
	p->from_nmi = IRQ_WORK_INIT_HARD(nmi_is_over);
	return p;
}

static void pool_free(struct oprofile_pending **pending)
{
	int i;

	for (i = 0; pending && i < OPROFILE_NR_PENDING; i++)
		kfree(pending[i]);
	kfree(pending);
}

int oprofile_pending_alloc(struct cpu_buffer *cb)
{
	struct oprofile_pending **pending;
	int i;

	if (cb->pending)
		return 0;
	pending = kcalloc(OPROFILE_NR_PENDING, sizeof(*pending), GFP_KERNEL);
	if (!pending)
		return -ENOMEM;
	for (i = 0; i < OPROFILE_NR_PENDING; i++) {
		pending[i] = pending_new(cb, i);
		if (!pending[i]) {
			pool_free(pending);
			return -ENOMEM;
		}
	}
	bitmap_fill(cb->free, OPROFILE_NR_PENDING);
	smp_store_release(&cb->pending, pending);	/* whoever sees it finds it full */
	return 0;
}

void oprofile_pending_free(struct cpu_buffer *cb)
{
	pool_free(cb->pending);
	cb->pending = NULL;
	bitmap_zero(cb->free, OPROFILE_NR_PENDING);
}

void oprofile_pending_put(struct oprofile_pending *p)
{
	smp_mb__before_atomic();	/* who takes it next finds our reads and writes done */
	set_bit(p->index, p->cb->free);
}
