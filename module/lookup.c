// SPDX-License-Identifier: GPL-2.0
/* lookup.c -- pools of lookups, users' limits, and abandoned lookups. */
#include "lookup.h"

#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "payer.h"
#include "sampling.h"

void oprofile_resolver_init(struct oprofile_resolver *r, void (*nmi_is_over)(struct irq_work *work))
{
	r->nmi_is_over = nmi_is_over;
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->abandoned);
	init_waitqueue_head(&r->done);
}

bool oprofile_lookup_done(struct oprofile_resolver *r, struct oprofile_request *request)
{
	u8 user;

	if (!request)
		return atomic_dec_and_test(&r->samples);
	user = request->user;
	smp_store_release(&request->task, NULL);
	atomic_dec(&r->requests_of[user]);
	return false;
}

u8 oprofile_lookup_user(void)
{
	return oprofile_share_of(oprofile_payer(), OPROFILE_NR_USERS);
}

struct oprofile_lookup *oprofile_lookup_get(struct oprofile_cpu *pcpu)
{
	unsigned long word;
	int i;

	for (i = 0; i < ARRAY_SIZE(pcpu->free); i++) {
		while ((word = READ_ONCE(pcpu->free[i])) != 0) {
			int bit = __ffs(word);

			if (likely(test_and_clear_bit(bit, &pcpu->free[i])))
				return pcpu->lookups[i * BITS_PER_LONG + bit];
		}
	}
	return NULL;
}

struct oprofile_request *oprofile_request_begin(struct oprofile_resolver *r)
{
	struct oprofile_request *free = NULL, *a;
	u8 user = oprofile_lookup_user();

	for (a = r->requests; a < r->requests + ARRAY_SIZE(r->requests); a++) {
		const void *task = smp_load_acquire(&a->task);

		if (!task)
			free = a;
		else if (task == current && a->exec_id == current->self_exec_id)
			return NULL;
	}
	if (!free)
		return NULL;
	if (atomic_inc_return(&r->requests_of[user]) > OPROFILE_USER_REQUESTS ||
	    cmpxchg(&free->task, NULL, ERR_PTR(-EBUSY))) {
		atomic_dec(&r->requests_of[user]);
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
	struct oprofile_lookup *p;
	int cpu, i;

	/* Release the lock after each CPU's pool, because tasks need the lock to finish their
	 * lookups. */
	for_each_possible_cpu(cpu) {
		struct oprofile_lookup **lookups = READ_ONCE(per_cpu_ptr(s->cpu, cpu)->lookups);

		spin_lock(&r->lock);
		for (i = 0; lookups && i < OPROFILE_NR_LOOKUPS; i++) {
			pid_t holder = READ_ONCE(lookups[i]->holder);

			if (holder)
				seq_printf(to, "%d\n", holder);
		}
		spin_unlock(&r->lock);
		cond_resched();
	}
	/* Print the list of abandoned lookups after the pools: a lookup moves only from a pool to
	 * this list, so none is missed. */
	spin_lock(&r->lock);
	list_for_each_entry(p, &r->abandoned, abandoned)
		seq_printf(to, "%d\n", p->holder);
	spin_unlock(&r->lock);
}

void oprofile_lookup_free_abandoned(struct oprofile_resolver *r, struct oprofile_lookup *p)
{
	spin_lock(&r->lock);
	list_del(&p->abandoned);
	spin_unlock(&r->lock);
	kfree(p);
}

static struct oprofile_lookup *lookup_new(struct oprofile_cpu *pcpu, u32 index)
{
	struct oprofile_lookup *p = kzalloc_node(sizeof(*p), GFP_KERNEL, cpu_to_node(pcpu->cpu));

	if (!p)
		return NULL;
	p->pcpu = pcpu;
	p->index = index;
	p->from_nmi = IRQ_WORK_INIT_HARD(pcpu->s->resolver->nmi_is_over);
	return p;
}

/* If the lookup *@p is queued, move it to the list of abandoned lookups and put @new into the pool.
 * Return whether *@p was queued. */
static bool renew(struct oprofile_resolver *r, struct oprofile_lookup **p,
		  struct oprofile_lookup *new)
{
	struct oprofile_lookup *old = *p;
	bool abandoned;

	spin_lock(&r->lock);
	abandoned = cmpxchg(&old->state, LOOKUP_QUEUED, LOOKUP_ABANDONED) == LOOKUP_QUEUED;
	if (abandoned) {
		list_add_tail(&old->abandoned, &r->abandoned);
		oprofile_lookup_done(r, old->request);
		/* the abandoned lookup still counts against its user's limit, until its task runs
		 * it and oprofile_lookup_put() decrements the counter */
		new->user = old->user;
		*p = new;
	}
	spin_unlock(&r->lock);
	return abandoned;
}

void oprofile_resolver_renew(struct oprofile_sampling *s)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);
		struct oprofile_lookup **lookups = READ_ONCE(pcpu->lookups), *new;

		for (i = 0; lookups && i < OPROFILE_NR_LOOKUPS; i++) {
			if (READ_ONCE(lookups[i]->state) != LOOKUP_QUEUED)
				continue;
			new = lookup_new(pcpu, i);
			if (!new)
				/* memory is short: the remaining queued lookups stay in the pool,
				 * so fewer lookups are idle when sampling begins again */
				return;
			if (renew(s->resolver, &lookups[i], new))
				oprofile_lookup_put(new);
			else
				kfree(new);
		}
	}
}

static void pool_free(struct oprofile_lookup **lookups)
{
	int i;

	for (i = 0; lookups && i < OPROFILE_NR_LOOKUPS; i++)
		kfree(lookups[i]);
	kfree(lookups);
}

int oprofile_lookup_pool_alloc(struct oprofile_cpu *pcpu)
{
	struct oprofile_lookup **lookups;
	int i;

	if (pcpu->lookups)
		return 0;
	lookups = kcalloc(OPROFILE_NR_LOOKUPS, sizeof(*lookups), GFP_KERNEL);
	if (!lookups)
		return -ENOMEM;
	for (i = 0; i < OPROFILE_NR_LOOKUPS; i++) {
		lookups[i] = lookup_new(pcpu, i);
		if (!lookups[i]) {
			pool_free(lookups);
			return -ENOMEM;
		}
	}
	/* Publish the pool after its lookups are ready, and the free lookups after the pool: a
	 * probe may already take samples on this CPU. */
	smp_store_release(&pcpu->lookups, lookups);
	smp_wmb();	/* pairs with test_and_clear_bit() in oprofile_lookup_get() */
	bitmap_fill(pcpu->free, OPROFILE_NR_LOOKUPS);
	return 0;
}

void oprofile_lookup_pool_free(struct oprofile_cpu *pcpu)
{
	pool_free(pcpu->lookups);
	pcpu->lookups = NULL;
	bitmap_zero(pcpu->free, OPROFILE_NR_LOOKUPS);
}

void oprofile_lookup_put(struct oprofile_lookup *p)
{
	atomic_dec(&p->pcpu->held_by[p->user]);
	/* complete all accesses before another CPU can allocate this lookup */
	smp_mb__before_atomic();
	set_bit(p->index, p->pcpu->free);
}
