/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/object.h -- objects: a thread's counters, with the rules for access and lifetime.
 *
 * States: attached (it has an owner), detached (unlinked), dead (its owner has exited). The last
 * two are final; then the holder of any file may read the sums.
 *
 * Lifetime: an object has one reference for being attached, one for each file, one for being the
 * parent of each child, and one for queued work. Mappings hold the file. Each object holds the
 * module until its memory has been freed by a work item on the module's own queue, which unloading
 * waits for; one item frees all objects whose grace period has ended.
 *
 * Kinds of access: 1. The owner's events (switches, samples, interrupts) take no lock. They write
 * the page with interrupts off, on the owner's CPU. While there is an owner, nothing else writes
 * the page. 2. The owner's calls, and its task_work, which applies settings and ends the object,
 * hold `lock`. 3. Calls of a tracer hold `lock`, too, while the owner is stopped. SIGKILL may wake
 * the owner at any time, so these calls write neither the page nor the list of preempt notifiers:
 * they set `pending` for the owner's task_work. 4. A switch to a CPU that cannot count is an event
 * of the owner, which only detects it and queues task_work. 5. The end of a child takes the
 * `children_lock` of each ancestor in turn. A fork holds two: the forking thread's, then its
 * parent's.
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

/* Bits of `todo`: work for the owner before its next user instruction. */
#define VPERFCTR_TODO_QUEUED	BIT(0)	/* task_work is queued, and has a reference to the object */
#define VPERFCTR_TODO_CHILD	BIT(1)	/* make the slots of a copy: .control is the parent's */
#define VPERFCTR_TODO_CONTROL	BIT(2)	/* apply the settings in `pending` */
#define VPERFCTR_TODO_UNLINK	BIT(3)
#define VPERFCTR_TODO_OVERFLOW	BIT(4)	/* stop the slots and send the signal */
#define VPERFCTR_TODO_RESUME	BIT(5)	/* resume the slots, for a tracer's IRESUME */
#define VPERFCTR_TODO_EXEC	BIT(6)	/* the owner has a new memory map, because it called exec */
/* the owner was moved to a CPU that does not count its slots */
#define VPERFCTR_TODO_FORBIDDEN	BIT(7)
#define VPERFCTR_TODO_PAGE	BIT(8)	/* use the page in `page` from now on */

/* New settings. The function that takes them from `pending` must free them. */
struct vperfctr_settings {
	struct vperfctr_control control;
	struct vperfctr_slots *slots;	/* slots that are not counting yet; NULL: no slots */
	/* the ring of overflow records, with a reference; NULL: no ring */
	struct vperfctr_ring *ring;
};

struct vperfctr {
	refcount_t ref;
	union {
		/* for freeing the object by RCU, after the last reference was dropped */
		struct rcu_head rcu;
		/* node in the list of objects whose grace period has ended */
		struct llist_node past_grace;
	};
	/* the user who made the object, or the user of the parent's object */
	struct vperfctr_user *user;
	u64 number;			/* inode number, visible in /proc/PID/fd */
	atomic_t files;

	/*
	 * The state that users read. It is written by the accesses (1) and (2) of the list above. A
	 * copy uses `first` until a file of the copy is made, because most copies never need a
	 * page. Then the owner switches to `page` in a call of its own, or in its task_work for a
	 * tracer. `first` then keeps an odd seq, so that its readers read `state` again.
	 */
	struct vperfctr_state *state;
	/* the page that users map; NULL: the object has no file yet. Set once, before the first
	 * file is made; protected by lock */
	struct vperfctr_state *page;
	/* number of slots that `state` has ever shown; all further slots in it are zero; same
	 * access rules as `state` */
	u32 used;
	/* perf has moved a counter since the page was written; access rule (1) of the list above */
	bool moved;
	struct preempt_notifier notifier;
	bool watched;			/* the preempt notifier is in the list of its owner */

	/* owners.c: written under the bucket's lock, read under RCU */
	struct hlist_node link;
	/* the owner; NULL: the object is detached or dead. Set once, cleared by the owner before it
	 * ends */
	struct task_struct *owner;
	bool dead;			/* the owner thread has exited; protected by lock */
	/*
	 * The sums at the time when a tracer unlinked the object; NULL: no tracer has unlinked it.
	 * From then on all calls behave as if the object had no owner, and the owner detaches the
	 * object before its next user instruction. Set once; protected by lock.
	 */
	struct vperfctr_sum_ctrs *final_sums;

	unsigned long todo;		/* pending work, VPERFCTR_TODO_*; changed atomically */
	struct callback_head work;
	/* work item for the owner's exit; a separate one, because work that a tracer queues may run
	 * too late */
	struct callback_head exit_work;

	struct mutex lock;		/* protects the members below */
	struct vperfctr_control control;
	/* the slots; changed with .lock held and preemption off, because the owner's events read
	 * this member without the lock */
	struct vperfctr_slots *slots;
	/* sums of earlier slots; same access rules as .slots */
	struct vperfctr_sum kept[VPERFCTR_MAX_PMCS];
	struct vperfctr_settings *pending;
	/* the ring, with a reference; NULL: no ring. Changed with ring_lock held as well, because
	 * mmap() cannot take lock */
	struct vperfctr_ring *ring;
	spinlock_t ring_lock;
	bool suspended;			/* slots are stopped after an overflow */

	spinlock_t children_lock;	/* protects the members below */
	/* the object from which this object was copied, with a reference; NULL: no parent */
	struct vperfctr *parent;
	/* number of the control, the same in all copies of it; written under lock, too */
	u64 control_id;
	/* the sums of this object were added to those of its parent; counts that come later are
	 * added to the parent directly */
	bool flushed;
	struct vperfctr_sum_ctrs children;

	/* the first state of a copy; same access rules as `state` */
	struct vperfctr_state first;
};

/*
 * Make an object with one reference, which the caller owns. NULL: no memory; ERR_PTR(-EAGAIN):
 * @user has reached the limit. @gfp may forbid to sleep. @paged: the object's state is in a page
 * from the start.
 */
struct vperfctr *vperfctr_create(struct vperfctr_user *user, task_work_func_t work, bool paged,
				 gfp_t gfp);
void vperfctr_get(struct vperfctr *v);
void vperfctr_put(struct vperfctr *v);	/* @v may be NULL; any context except interrupts */

/* Queue the work @what for the owner's task_work. Return false if the owner runs no more task_work.
 * Any context except NMIs. */
bool vperfctr_queue(struct vperfctr *v, struct task_struct *owner, unsigned long what);

static inline bool vperfctr_is_unlinked(const struct vperfctr *v)
{
	return READ_ONCE(v->final_sums);
}

/* Show @ring (or NULL) in the page from now on. Return the former ring, with its reference. */
struct vperfctr_ring *vperfctr_swap_ring(struct vperfctr *v, struct vperfctr_ring *ring);
/* Return the ring with a reference, or NULL. Does not take `lock`. */
struct vperfctr_ring *vperfctr_get_ring(struct vperfctr *v);

u64 vperfctr_new_control_id(void);

int vperfctr_objects_init(void);
void vperfctr_objects_exit(void);	/* wait until all objects have been freed */

#endif
