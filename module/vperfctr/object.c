// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/object.c -- objects: a thread's counters.
 */
#include "vperfctr/object.h"

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "vperfctr/ring.h"
#include "vperfctr/users.h"

static void free_all(struct work_struct *work);

/* The workqueue and the list for freeing objects, shared by all objects of the module. */
static struct workqueue_struct *free_queue;
static struct kmem_cache *cache;
/* list of objects to be freed by free_work. Only the first object of the list queues free_work,
 * because waking a worker thread is expensive */
static LLIST_HEAD(past_grace);
static DECLARE_WORK(free_work, free_all);
static atomic64_t last_control_id, last_number;

static void after_grace_period(struct rcu_head *rcu)
{
	if (llist_add(&container_of(rcu, struct vperfctr, rcu)->past_grace, &past_grace))
		queue_work(free_queue, &free_work);
}

/* Free @v after a grace period. RCU readers may still use @v, but new readers cannot find it. */
static void free_later(struct vperfctr *v)
{
	vperfctr_uncharge(v->user, VPERFCTR_OBJECTS, 1);
	call_rcu(&v->rcu, after_grace_period);
}

static void free_object(struct vperfctr *v)
{
	struct vperfctr *parent = v->parent;

	vperfctr_ring_put(v->ring);
	free_page((unsigned long)v->page);
	kfree(v->final_sums);
	kmem_cache_free(cache, v);
	/*
	 * Also free the ancestors to which this was the last reference. The chain of ancestors may
	 * be as long as the user's limit of objects: this work item has time for that, the caller
	 * of the last vperfctr_put() may not.
	 */
	while (parent && refcount_dec_and_test(&parent->ref)) {
		struct vperfctr *next = parent->parent;

		/* the memory of all ancestors is freed after one common grace period */
		parent->parent = NULL;
		free_later(parent);
		parent = next;
		cond_resched();
	}
	/* module unloading waits for the workqueue, so the module stays loaded until free_all() has
	 * returned */
	module_put(THIS_MODULE);
}

static void free_all(struct work_struct *work)
{
	struct vperfctr *v, *next;

	llist_for_each_entry_safe(v, next, llist_del_all(&past_grace), past_grace) {
		free_object(v);
		cond_resched();
	}
}

struct vperfctr *vperfctr_create(struct vperfctr_user *user, task_work_func_t work, bool paged,
				 gfp_t gfp)
{
	struct vperfctr *v;

	if (!vperfctr_charge(user, VPERFCTR_OBJECTS, 1))
		return ERR_PTR(-EAGAIN);
	v = kmem_cache_zalloc(cache, gfp);
	if (!v)
		goto err_uncharge;
	BUILD_BUG_ON(sizeof(*v->page) > PAGE_SIZE);
	if (paged) {
		v->page = (void *)__get_free_page(gfp | __GFP_ACCOUNT | __GFP_ZERO);
		if (!v->page)
			goto err_free;
	}
	v->state = v->page ?: &v->first;
	v->state->version = VPERFCTR_ABI_VERSION;
	v->state->size = sizeof(*v->state);
	refcount_set(&v->ref, 1);
	INIT_HLIST_NODE(&v->link);
	mutex_init(&v->lock);
	spin_lock_init(&v->children_lock);
	spin_lock_init(&v->ring_lock);
	init_task_work(&v->work, work);
	v->user = user;
	v->number = atomic64_inc_return(&last_number);
	v->control.size = sizeof(v->control);
	__module_get(THIS_MODULE);
	return v;

err_free:
	kmem_cache_free(cache, v);
err_uncharge:
	vperfctr_uncharge(user, VPERFCTR_OBJECTS, 1);
	return NULL;
}

void vperfctr_get(struct vperfctr *v)
{
	refcount_inc(&v->ref);
}

void vperfctr_put(struct vperfctr *v)
{
	if (v && refcount_dec_and_test(&v->ref))
		free_later(v);
}

bool vperfctr_queue(struct vperfctr *v, struct task_struct *owner, unsigned long what)
{
	unsigned long old = READ_ONCE(v->todo);

	while (!try_cmpxchg(&v->todo, &old, old | what | VPERFCTR_TODO_QUEUED))
		;
	if (old & VPERFCTR_TODO_QUEUED)
		return true;
	vperfctr_get(v);
	if (!task_work_add(owner, &v->work, TWA_RESUME))
		return true;
	xchg(&v->todo, 0);
	vperfctr_put(v);
	return false;
}

struct vperfctr_ring *vperfctr_swap_ring(struct vperfctr *v, struct vperfctr_ring *ring)
{
	struct vperfctr_ring *old;

	lockdep_assert_held(&v->lock);
	spin_lock(&v->ring_lock);
	old = v->ring;
	WRITE_ONCE(v->ring, ring);
	spin_unlock(&v->ring_lock);
	vperfctr_ring_show(ring, v->state);
	return old;
}

struct vperfctr_ring *vperfctr_get_ring(struct vperfctr *v)
{
	struct vperfctr_ring *ring;

	spin_lock(&v->ring_lock);
	ring = v->ring;
	if (ring)
		vperfctr_ring_get(ring);
	spin_unlock(&v->ring_lock);
	return ring;
}

u64 vperfctr_new_control_id(void)
{
	return atomic64_inc_return(&last_control_id);
}

int vperfctr_objects_init(void)
{
	cache = kmem_cache_create("vperfctr", sizeof(struct vperfctr), 0, SLAB_ACCOUNT, NULL);
	if (!cache)
		return -ENOMEM;
	free_queue = alloc_workqueue("vperfctr", WQ_UNBOUND, 0);
	if (!free_queue)
		kmem_cache_destroy(cache);
	return free_queue ? 0 : -ENOMEM;
}

void vperfctr_objects_exit(void)
{
	rcu_barrier();		/* flush the RCU callbacks, which queue the remaining objects */
	destroy_workqueue(free_queue);
	kmem_cache_destroy(cache);
	/* wait until all tasks that were preempted in the module's code have left the module */
	synchronize_rcu_tasks();
}
