/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/object.h -- objects: a thread's counters, with the rules for access and lifetime.
 *
 * States: attached (the object has an owner, the thread that it counts), detached (unlinked), dead
 * (its owner has exited). Detached and dead are final states, in which the holder of any file may
 * read the sums.
 *
 * Lifetime: an object has one reference for being attached, one for each file, one for each child
 * object, and one for queued work. A mapping has a reference to its file. Each object has a
 * reference to the module until the object's memory has been freed by a work item on the module's
 * own queue. Module unloading waits for this queue. One work item frees all objects whose grace
 * period has ended.
 *
 * Kinds of access: 1. The owner's events (context switches, samples, interrupts) take no lock. They
 * write the page with interrupts off, on the owner's CPU. While the object has an owner, nothing
 * else writes the page. 2. The owner's calls, and its task_work, which applies settings and ends
 * the object, hold `lock`. 3. Calls of a tracer also hold `lock`, while the owner is stopped.
 * SIGKILL may wake the owner at any time, so these calls write neither the page nor the list of
 * preempt notifiers: they set `pending` for the owner's task_work. 4. A migration to a CPU that
 * cannot count is an event of the owner, which only detects it and queues task_work. 5. The end of
 * a child takes the `children_lock` of each ancestor, one after the other. A fork holds two of
 * these locks: that of the forking thread's object, then that of its parent object.
 */
#ifndef VPERFCTR_OBJECT_H
#define VPERFCTR_OBJECT_H

#include <linux/bits.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include "uapi/vperfctr.h"

#define VPERFCTR_DRIVER_VERSION	"2.0.0"

struct vperfctr_ring;
struct vperfctr_slots;
struct vperfctr_user;

/* Bits of `todo`: work that the owner must do before its next user instruction. */
#define VPERFCTR_TODO_QUEUED	BIT(0)	/* task_work is queued, and has a reference to the object */
/* create the slots of a child's object; .control is a copy of the parent's */
#define VPERFCTR_TODO_CHILD	BIT(1)
#define VPERFCTR_TODO_CONTROL	BIT(2)	/* apply the settings in `pending` */
#define VPERFCTR_TODO_UNLINK	BIT(3)
#define VPERFCTR_TODO_OVERFLOW	BIT(4)	/* stop the slots and send the signal */
#define VPERFCTR_TODO_RESUME	BIT(5)	/* resume the slots, for a tracer's IRESUME */
#define VPERFCTR_TODO_EXEC	BIT(6)	/* the owner has a new memory map, because it called exec */
/* the owner has migrated to a CPU that cannot count its slots */
#define VPERFCTR_TODO_FORBIDDEN	BIT(7)
#define VPERFCTR_TODO_PAGE	BIT(8)	/* use the page in `page` instead of `first` from now on */

/* Settings that the owner will apply. The function that removes them from `pending` must free
 * them. */
struct vperfctr_settings {
	struct vperfctr_control control;
	struct vperfctr_slots *slots;	/* slots that are not counting yet; NULL: no slots */
	/* the ring of overflow records, with a reference; NULL: no ring */
	struct vperfctr_ring *ring;
};

struct vperfctr {
	refcount_t ref;
	union {
		/* frees the object after an RCU grace period; used when the last reference was
		 * dropped */
		struct rcu_head rcu;
		/* node in past_grace, the list of objects whose grace period has ended */
		struct llist_node past_grace;
	};
	/* the user who is charged for the object */
	struct vperfctr_user *user;
	u64 number;			/* inode number of the object's files, visible in
					 * /proc/PID/fd */
	atomic_t files;

	/*
	 * The state that users read. Written by accesses (1) and (2) of the list above. The object
	 * of a child thread uses `first`, because most children never need a page. When the first
	 * file of such an object is created, the owner switches to `page`: in its own call, or, if
	 * a tracer creates the file, in task_work. From then on `first` has an odd seq, so that its
	 * readers read `state` again.
	 */
	struct vperfctr_state *state;
	/* the page that users map; NULL: the object has had no file yet. Set once, before the first
	 * file is created; protected by lock */
	struct vperfctr_state *page;
	/* number of slots that `state` has ever contained; the others are still zero; same
	 * access rules as `state` */
	u32 used;
	/* whether perf has moved a slot to another counter after the last write of the page; access
	 * rule (1) above */
	bool moved;
	struct preempt_notifier notifier;
	/* whether the preempt notifier is registered for the owner */
	bool watched;

	/* node in the table of owners.c: written under the bucket's lock, read under RCU */
	struct hlist_node link;
	/* the owner; NULL: the object is detached or dead. Set once; cleared by the owner when the
	 * object ends */
	struct task_struct *owner;
	bool dead;			/* whether the owner has exited; protected by lock */
	/*
	 * The sums at the time when a tracer unlinked the object; NULL: no tracer has unlinked it.
	 * Once set, all calls behave as if the object had no owner, and the owner detaches the
	 * object before its next user instruction. Set once; protected by lock.
	 */
	struct vperfctr_sum_ctrs *final_sums;

	unsigned long todo;		/* pending work, VPERFCTR_TODO_*; changed atomically */
	struct callback_head work;
	/* work item for the owner's exit. A separate item, because .work may run too late if a
	 * tracer has queued it */
	struct callback_head exit_work;

	struct mutex lock;		/* protects the members below */
	struct vperfctr_control control;
	/* the slots; changed with .lock held and preemption off, because the owner's task switches
	 * and overflows read .slots without the lock */
	struct vperfctr_slots *slots;
	/* sums of earlier settings' slots; same access rules as .slots */
	struct vperfctr_sum kept[VPERFCTR_MAX_PMCS];
	struct vperfctr_settings *pending;
	/* the ring, with a reference; NULL: no ring. Changed with ring_lock held as well, because
	 * mmap() cannot take lock */
	struct vperfctr_ring *ring;
	spinlock_t ring_lock;
	bool suspended;			/* whether an overflow has stopped the slots */

	spinlock_t children_lock;	/* protects the members below */
	/* the object from which this child's object was copied, with a reference; NULL: no
	 * parent */
	struct vperfctr *parent;
	/* id of the settings: an object and the objects copied from it have the same id until their
	 * settings are changed. Changed with .lock held as well */
	u64 control_id;
	/* the sums of this object have been added to its parent's sums; later counts are added to
	 * the parent directly */
	bool flushed;
	struct vperfctr_sum_ctrs children;

	/* the state of a child's object before it has a page; same access rules as `state` */
	struct vperfctr_state first;
};

/*
 * Allocate an object with one reference, which the caller owns. Return NULL if memory is short, or
 * ERR_PTR(-EAGAIN) if @user has reached the limit. @gfp may forbid sleeping. @paged: allocate a
 * page for the object's state now.
 */
struct vperfctr *vperfctr_create(struct vperfctr_user *user, task_work_func_t work, bool paged,
				 gfp_t gfp);
void vperfctr_get(struct vperfctr *v);
/* Drop a reference; @v may be NULL. Any context except interrupts. */
void vperfctr_put(struct vperfctr *v);

/* Queue the work @what (VPERFCTR_TODO_*) for the owner's task_work. Return false if the owner does
 * not run task_work any more. Any context except NMIs. */
bool vperfctr_queue(struct vperfctr *v, struct task_struct *owner, unsigned long what);

static inline bool vperfctr_is_unlinked(const struct vperfctr *v)
{
	return READ_ONCE(v->final_sums);
}

/* Make the page show @ring, which may be NULL. Return the former ring; the caller must release the
 * reference to it. */
struct vperfctr_ring *vperfctr_swap_ring(struct vperfctr *v, struct vperfctr_ring *ring);
/* Return the object's ring, or NULL. The caller must release the reference. Does not take
 * `lock`. */
struct vperfctr_ring *vperfctr_get_ring(struct vperfctr *v);

u64 vperfctr_new_control_id(void);

int vperfctr_objects_init(void);
void vperfctr_objects_exit(void);	/* Wait until all objects have been freed. */

#endif
