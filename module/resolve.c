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
#include "payer.h"
#include "sampling.h"
#include "uapi/oprofile.h"
#include "waker.h"

/* Of an errand: in the pool or on its way, with a task that has yet to look at it, with one for good. */
enum { ERRAND_OURS, ERRAND_HELD, ERRAND_LEFT };

void oprofile_resolver_init(struct oprofile_resolver *r)
{
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->left);
	init_waitqueue_head(&r->done);
}

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
	smp_mb();	/* against let_go() */
	wait_event_timeout(r->done, !atomic_read(&r->samples), HZ);
	WRITE_ONCE(r->wake_when_done, false);
}

/* One errand less is out: @asked is what it had. True: that was the last one for a sample. */
static bool let_go(struct oprofile_resolver *r, struct oprofile_asked *asked)
{
	u8 user;

	if (!asked)
		return atomic_dec_and_test(&r->samples);
	user = asked->user;
	smp_store_release(&asked->task, NULL);
	atomic_dec(&r->asked_of[user]);
	return false;
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
	       strncmp(file->f_path.dentry->d_name.name, "memfd:", 6);
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
static bool store(struct oprofile_sampling *s, struct oprofile_errand *p,
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
	struct oprofile_table *t = READ_ONCE(pcpu->active);

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
 * Enters the outcome in the books, all of it or, when the run of the sample is over, nothing: then
 * it stays counted as unresolved. The end of a run waits for this with RCU.
 */
static bool conclude(struct oprofile_sampling *s, struct oprofile_errand *p, enum outcome outcome,
		     const struct oprofile_place *place, u64 generation, u64 app)
{
	unsigned long flags;
	bool stray = false;

	local_irq_save(flags);
	if (p->run != READ_ONCE(s->resolver->run))
		goto out;
	if (app != OPROFILE_NO_COOKIE)
		oprofile_program_set(&s->identity.programs, p->program, app);
	if (p->asked) {
		struct oprofile_table *t = this_cpu_read(s->cpu->active);

		if (outcome == FOUND && t)
			oprofile_table_set_app(t, app);
		goto out;
	}
	atomic64_sub(p->hit.n, &p->pcpu->unresolved);
	switch (outcome) {
	case FOUND:
		stray = store(s, p, place, generation, app);
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

/* Its run is over and the pool has another one in its place. */
static void free_left(struct oprofile_resolver *r, struct oprofile_errand *p)
{
	spin_lock(&r->lock);
	list_del(&p->left);
	spin_unlock(&r->lock);
	kfree(p);
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
		free_left(s->resolver, p);
		goto out;
	}
	if (!mm || (current->flags & PF_EXITING)) {
		outcome = TASK_EXITS;
	} else if (unlikely(p->exec_id != current->self_exec_id)) {
		outcome = NO_MAPPING;	/* of a life that is over */
	} else if (p->run == READ_ONCE(s->resolver->run)) {
		if (!asked) {
			this_cpu_inc(s->cpu->stats.user_resolved);
			outcome = find_place(s, mm, p->hit.where, &place, &generation);
		}
		if (outcome == FOUND) {
			p->program = oprofile_program_id(mm);
			app = oprofile_program_of(&s->identity.programs, p->program);
			if (app == OPROFILE_NO_COOKIE)
				app = make_app(s, mm);
		}
	}
	WRITE_ONCE(p->holder, 0);
	if (!conclude(s, p, outcome, &place, generation, app))
		oprofile_errand_put(p);
	account(s, get_cycles() - start, switches_before);
	if (let_go(s->resolver, asked) && READ_ONCE(s->resolver->wake_when_done))
		wake_up_all(&s->resolver->done);
out:
	module_put(THIS_MODULE);	/* unloading waits for RCU-tasks, so for our return */
}

size_t oprofile_resolver_holders(struct oprofile_sampling *s, char *text, size_t size)
{
	struct oprofile_resolver *r = s->resolver;
	struct oprofile_errand *p;
	size_t len = 0;
	int cpu, i;

	spin_lock(&r->lock);
	list_for_each_entry(p, &r->left, left)
		len += scnprintf(text + len, size - len, "%d\n", p->holder);
	for_each_possible_cpu(cpu) {
		struct oprofile_errand **errands = READ_ONCE(per_cpu_ptr(s->cpu, cpu)->errands);

		for (i = 0; errands && i < OPROFILE_NR_ERRANDS; i++) {
			pid_t holder = READ_ONCE(errands[i]->holder);

			if (holder)
				len += scnprintf(text + len, size - len, "%d\n", holder);
		}
	}
	spin_unlock(&r->lock);
	return len;
}

/* One that nobody holds, or NULL. An NMI may come in and take one, too. */
static struct oprofile_errand *take(struct oprofile_cpu *pcpu)
{
	unsigned long word;
	int i;

	for (i = 0; i < ARRAY_SIZE(pcpu->free); i++) {
		while ((word = READ_ONCE(pcpu->free[i])) != 0) {
			int bit = __ffs(word);

			if (likely(test_and_clear_bit(bit, &pcpu->free[i])))
				return pcpu->errands[i * BITS_PER_LONG + bit];
		}
	}
	return NULL;
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
	let_go(s->resolver, asked);
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
static void nmi_is_over(struct irq_work *work)
{
	struct oprofile_errand *p = container_of(work, struct oprofile_errand, from_nmi);

	if (likely(p->task == current && p->start_time == current->start_time))
		give_to_current(p);
	else
		give_up(p, &p->pcpu->s->cpu->stats.sample_lost_pending);
}

/* Users are counted by the low bits of their number, but for root, who shares with nobody. */
static u8 user_index(void)
{
	u64 payer = oprofile_payer();

	return payer ? 1 + payer % (OPROFILE_NR_USERS - 1) : 0;
}

static void copy_data(struct oprofile_errand *p, const struct oprofile_data *data)
{
	p->data = *data;
	p->data.nr = min_t(u32, data->nr, OPROFILE_MAX_DATA);
	p->data.words = p->words;
	memcpy(p->words, data->words, p->data.nr * sizeof(*p->words));
	p->hit.data = &p->data;
}

static void queue(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit, struct oprofile_asked *asked)
{
	struct oprofile_sampling *s = pcpu->s;
	u8 user = user_index();
	struct oprofile_errand *p;
	bool enough = atomic_inc_return(&pcpu->held_by[user]) > OPROFILE_USER_ERRANDS;

	p = enough ? NULL : take(pcpu);
	if (!p) {
		atomic_dec(&pcpu->held_by[user]);
		if (asked)
			let_go(s->resolver, asked);
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
	queue(pcpu, hit, NULL);
}

/*
 * Enters the current task among those asked: NULL when it is one already, or its user has enough of
 * them. An entry is as true as its task is alive, for that gives its errand back before it dies.
 */
static struct oprofile_asked *ask(struct oprofile_resolver *r)
{
	struct oprofile_asked *free = NULL, *a;
	u8 user = user_index();

	for (a = r->asked; a < r->asked + ARRAY_SIZE(r->asked); a++) {
		const void *task = smp_load_acquire(&a->task);

		if (!task)
			free = a;
		else if (task == current && a->exec_id == current->self_exec_id)
			return NULL;
	}
	if (!free)
		return NULL;
	if (atomic_inc_return(&r->asked_of[user]) > OPROFILE_USER_NAMING ||
	    cmpxchg(&free->task, NULL, ERR_PTR(-EBUSY))) {
		atomic_dec(&r->asked_of[user]);
		return NULL;
	}
	free->exec_id = current->self_exec_id;
	free->user = user;
	smp_store_release(&free->task, current);
	return free;
}

void oprofile_resolve_app_later(struct oprofile_cpu *pcpu)
{
	static const struct oprofile_hit none = { };
	struct oprofile_asked *asked = ask(pcpu->s->resolver);

	if (asked)
		queue(pcpu, &none, asked);
}

static struct oprofile_errand *errand_new(struct oprofile_cpu *pcpu, u32 index)
{
	struct oprofile_errand *p = kzalloc_node(sizeof(*p), GFP_KERNEL, cpu_to_node(pcpu->cpu));

	if (!p)
		return NULL;
	p->pcpu = pcpu;
	p->index = index;
	p->from_nmi = IRQ_WORK_INIT_HARD(nmi_is_over);
	return p;
}

/* Puts @new in the place of @p, if a task holds that. */
static bool renew(struct oprofile_resolver *r, struct oprofile_errand **p,
		  struct oprofile_errand *new)
{
	struct oprofile_errand *old = *p;
	bool left;

	spin_lock(&r->lock);
	left = cmpxchg(&old->state, ERRAND_HELD, ERRAND_LEFT) == ERRAND_HELD;
	if (left) {
		list_add_tail(&old->left, &r->left);
		let_go(r, old->asked);
		new->user = old->user;	/* given back with the errand */
		*p = new;
	}
	spin_unlock(&r->lock);
	return left;
}

void oprofile_resolver_renew(struct oprofile_sampling *s)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);
		struct oprofile_errand **errands = READ_ONCE(pcpu->errands), *new;

		for (i = 0; errands && i < OPROFILE_NR_ERRANDS; i++) {
			if (READ_ONCE(errands[i]->state) != ERRAND_HELD)
				continue;
			new = errand_new(pcpu, i);
			if (!new)
				return;		/* the next run has fewer */
			if (renew(s->resolver, &errands[i], new))
				oprofile_errand_put(new);
			else
				kfree(new);
		}
	}
}

static void pool_free(struct oprofile_errand **errands)
{
	int i;

	for (i = 0; errands && i < OPROFILE_NR_ERRANDS; i++)
		kfree(errands[i]);
	kfree(errands);
}

int oprofile_errand_alloc(struct oprofile_cpu *pcpu)
{
	struct oprofile_errand **errands;
	int i;

	if (pcpu->errands)
		return 0;
	errands = kcalloc(OPROFILE_NR_ERRANDS, sizeof(*errands), GFP_KERNEL);
	if (!errands)
		return -ENOMEM;
	for (i = 0; i < OPROFILE_NR_ERRANDS; i++) {
		errands[i] = errand_new(pcpu, i);
		if (!errands[i]) {
			pool_free(errands);
			return -ENOMEM;
		}
	}
	bitmap_fill(pcpu->free, OPROFILE_NR_ERRANDS);
	smp_store_release(&pcpu->errands, errands);	/* whoever sees it finds it full */
	return 0;
}

void oprofile_errand_free(struct oprofile_cpu *pcpu)
{
	pool_free(pcpu->errands);
	pcpu->errands = NULL;
	bitmap_zero(pcpu->free, OPROFILE_NR_ERRANDS);
}

void oprofile_errand_put(struct oprofile_errand *p)
{
	atomic_dec(&p->pcpu->held_by[p->user]);
	smp_mb__before_atomic();	/* who takes it next finds our reads and writes done */
	set_bit(p->index, p->pcpu->free);
}
