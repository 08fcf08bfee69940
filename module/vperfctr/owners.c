// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/owners.c -- the table of threads and their objects.
 */
#include "vperfctr/owners.h"

#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "vperfctr/object.h"

#define BITS	12

/*
 * Maximum number of a thread's objects that tracers have unlinked while the thread was stopped. The
 * thread detaches them only when it continues. Without this limit, a tracer could make a hash
 * bucket very long, which other threads search with preemption off.
 */
#define MAX_LEAVING	16

/* The module has a single global table, because tracepoints and calls must find an object by its
 * thread. */
static struct bucket {
	spinlock_t lock;
	struct hlist_head head;
} buckets[1 << BITS] = { [0 ... (1 << BITS) - 1] = { .lock = __SPIN_LOCK_UNLOCKED(lock) } };

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &buckets[hash_ptr(task, BITS)];
}

/* Return the attached object of @task, or NULL. The caller holds RCU or the bucket's lock.
 * @leaving: true: return an object that a tracer has unlinked; false: return the object that no
 * tracer has unlinked. */
static struct vperfctr *find(const struct task_struct *task, bool leaving)
{
	struct vperfctr *v;

	hlist_for_each_entry_rcu(v, &bucket_of(task)->head, link, true) {
		if (READ_ONCE(v->owner) == task && vperfctr_is_unlinked(v) == leaving)
			return v;
	}
	return NULL;
}

/* Check whether @task may get an object. Return 0; -EEXIST: it already has an object; -EAGAIN:
 * it has MAX_LEAVING objects that tracers have unlinked and that it has not detached yet. */
static int check_room(const struct bucket *b, const struct task_struct *task)
{
	const struct vperfctr *v;
	u32 leaving = 0;

	lockdep_assert_held(&b->lock);
	hlist_for_each_entry(v, &b->head, link) {
		if (v->owner != task)
			continue;
		if (!vperfctr_is_unlinked(v))
			return -EEXIST;
		if (++leaving == MAX_LEAVING)
			return -EAGAIN;
	}
	return 0;
}

int vperfctr_attach(struct vperfctr *v, struct task_struct *task)
{
	struct bucket *b = bucket_of(task);
	int err;

	spin_lock(&b->lock);
	err = check_room(b, task);
	if (!err) {
		vperfctr_get(v);
		WRITE_ONCE(v->owner, task);
		hlist_add_head_rcu(&v->link, &b->head);
	}
	spin_unlock(&b->lock);
	return err;
}

void vperfctr_detach(struct vperfctr *v)
{
	struct bucket *b = bucket_of(v->owner);

	spin_lock(&b->lock);
	hlist_del_init_rcu(&v->link);
	WRITE_ONCE(v->owner, NULL);
	spin_unlock(&b->lock);
}

static struct vperfctr *own(bool leaving)
{
	struct vperfctr *v;

	rcu_read_lock();
	v = find(current, leaving);
	rcu_read_unlock();
	return v;
}

struct vperfctr *vperfctr_own(void)
{
	return own(false);
}

struct vperfctr *vperfctr_own_unlinked(void)
{
	return own(true);
}

struct vperfctr *vperfctr_of(struct task_struct *task)
{
	struct vperfctr *v;

	rcu_read_lock();
	v = find(task, false);
	if (v && !refcount_inc_not_zero(&v->ref))
		v = NULL;
	rcu_read_unlock();
	return v;
}

/* Taking a reference to the owner under RCU is safe: a task clears the owner of its object long
 * before it exits, and its memory is freed one grace period after its exit. */
struct task_struct *vperfctr_owner_get(const struct vperfctr *v)
{
	struct task_struct *task;

	rcu_read_lock();
	task = READ_ONCE(v->owner);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

u64 vperfctr_for_each(u64 cursor,
		      bool (*fn)(struct vperfctr *v, struct task_struct *owner, void *data),
		      void *data)
{
	u64 b = cursor >> 32, skip = (u32)cursor;

	for (; b < ARRAY_SIZE(buckets); b++, skip = 0) {
		struct vperfctr *v;
		u64 n = 0;

		rcu_read_lock();
		hlist_for_each_entry_rcu(v, &buckets[b].head, link) {
			struct task_struct *owner = READ_ONCE(v->owner);

			if (n++ < skip || !owner || vperfctr_is_unlinked(v))
				continue;
			if (!fn(v, owner, data)) {
				rcu_read_unlock();
				return b << 32 | (n - 1);
			}
		}
		rcu_read_unlock();
		cond_resched();
	}
	return 0;
}
