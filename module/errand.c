// SPDX-License-Identifier: GPL-2.0
/*
 * errand.c -- the pool of errands: who has how many, and what becomes of those that nobody brings back.
 */
#include "errand.h"

#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "payer.h"
#include "sampling.h"

void oprofile_resolver_init(struct oprofile_resolver *r, void (*nmi_is_over)(struct irq_work *work))
{
	r->nmi_is_over = nmi_is_over;
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->left);
	init_waitqueue_head(&r->done);
}

bool oprofile_errand_let_go(struct oprofile_resolver *r, struct oprofile_asked *asked)
{
	u8 user;

	if (!asked)
		return atomic_dec_and_test(&r->samples);
	user = asked->user;
	smp_store_release(&asked->task, NULL);
	atomic_dec(&r->asked_of[user]);
	return false;
}

u8 oprofile_errand_user(void)
{
	return oprofile_share_of(oprofile_payer(), OPROFILE_NR_USERS);
}

struct oprofile_errand *oprofile_errand_take(struct oprofile_cpu *pcpu)
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

struct oprofile_asked *oprofile_errand_ask(struct oprofile_resolver *r)
{
	struct oprofile_asked *free = NULL, *a;
	u8 user = oprofile_errand_user();

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

void oprofile_resolver_holders(struct oprofile_sampling *s, struct seq_file *to)
{
	struct oprofile_resolver *r = s->resolver;
	struct oprofile_errand *p;
	int cpu, i;

	/* The lock for no longer than a CPU's pool takes: tasks that come back want it, and there may be many CPUs. */
	for_each_possible_cpu(cpu) {
		struct oprofile_errand **errands = READ_ONCE(per_cpu_ptr(s->cpu, cpu)->errands);

		spin_lock(&r->lock);
		for (i = 0; errands && i < OPROFILE_NR_ERRANDS; i++) {
			pid_t holder = READ_ONCE(errands[i]->holder);

			if (holder)
				seq_printf(to, "%d\n", holder);
		}
		spin_unlock(&r->lock);
		cond_resched();
	}
	/* Last: from a pool they come here, never back. */
	spin_lock(&r->lock);
	list_for_each_entry(p, &r->left, left)
		seq_printf(to, "%d\n", p->holder);
	spin_unlock(&r->lock);
}

void oprofile_errand_free_left(struct oprofile_resolver *r, struct oprofile_errand *p)
{
	spin_lock(&r->lock);
	list_del(&p->left);
	spin_unlock(&r->lock);
	kfree(p);
}

static struct oprofile_errand *errand_new(struct oprofile_cpu *pcpu, u32 index)
{
	struct oprofile_errand *p = kzalloc_node(sizeof(*p), GFP_KERNEL, cpu_to_node(pcpu->cpu));

	if (!p)
		return NULL;
	p->pcpu = pcpu;
	p->index = index;
	p->from_nmi = IRQ_WORK_INIT_HARD(pcpu->s->resolver->nmi_is_over);
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
		oprofile_errand_let_go(r, old->asked);
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
