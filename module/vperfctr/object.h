/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/object.h -- a thread's counters: what they are made of, who may touch what, how long they live.
 *
 * States: attached (it has an owner), detached (unlinked), dead (its owner has exited). The last two are final, and
 * sums are then read by whoever has a file.
 *
 * Lifetime: a reference each for being attached, for a file, for being a child's parent, for queued work. Mappings
 * hold the file. Each object holds the module until the last of its memory is given back, by a work of our own
 * queue that unloading waits for; one work for all objects that a grace period has passed for.
 *
 * Five kinds of access:
 * 1. The owner's events (switches, samples, interrupts) take no lock. They write the page with interrupts off, on the
 *    owner's CPU; nobody else writes it while there is an owner.
 * 2. The owner's calls, and its task_work, which is where it takes settings over, and ends: under `lock`, which nobody
 *    contends for but
 * 3. calls of a tracer, while the owner is stopped. As SIGKILL may wake the owner at any moment, they write neither the
 *    page nor the list of preempt notifiers: they leave `pending` for the owner's task_work.
 * 4. Switches onto a CPU that cannot count: the owner's own event, at which it only finds out, and leaves the rest to its
 *    task_work.
 * 5. The end of a child: `children_lock` of those that it is copied from, one after the other. A fork holds two: the
 *    forking thread's, then that of what it was copied from.
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

/* What the owner has to do before its next user instruction; bits of `todo`. */
#define VPERFCTR_TODO_QUEUED	BIT(0)	/* its task_work is on the way, with a reference */
#define VPERFCTR_TODO_CHILD	BIT(1)	/* make the slots of the control that it was copied with */
#define VPERFCTR_TODO_CONTROL	BIT(2)	/* take `pending` over */
#define VPERFCTR_TODO_UNLINK	BIT(3)
#define VPERFCTR_TODO_OVERFLOW	BIT(4)	/* slots stand, and the owner is told */
#define VPERFCTR_TODO_RESUME	BIT(5)	/* a tracer's IRESUME */
#define VPERFCTR_TODO_EXEC	BIT(6)	/* it has a new memory map */
#define VPERFCTR_TODO_FORBIDDEN	BIT(7)	/* it was put on a CPU that does not count its slots */
#define VPERFCTR_TODO_PAGE	BIT(8)	/* go on in `page` */

/* Settings to come. Freed by whoever takes them from `pending`. */
struct vperfctr_settings {
	struct vperfctr_control control;
	struct vperfctr_slots *slots;	/* made, not counting; NULL: none */
	struct vperfctr_ring *ring;	/* a reference, or NULL */
};

struct vperfctr {
	refcount_t ref;
	union {
		struct rcu_head rcu;		/* of the last reference's end */
		struct llist_node past_grace;	/* and after that */
	};
	struct vperfctr_user *user;	/* who made it, or what it was copied from */
	u64 number;			/* of the inode, as /proc/PID/fd shows it */
	atomic_t files;

	/*
	 * What users read, who only read it; written by (1), (2). A copy's is `first` until somebody has a file of it: most never
	 * need a page. Then the owner goes on in `page`, in a call of its own or, for a tracer, in its task_work; readers
	 * that find `first` left (its seq stays odd) look again.
	 */
	struct vperfctr_state *state;
	struct vperfctr_state *page;	/* lock; mapped by users; set before there is a file, and for good. NULL: there was none */
	u32 used;			/* as `state`: slots that it has ever shown, the others are zero */
	bool moved;			/* (1): perf has moved a counter since the page was written */
	struct preempt_notifier notifier;
	bool watched;			/* (2): the notifier is on its owner's list */

	struct hlist_node link;		/* of owners.c: a bucket's lock, read by RCU */
	struct task_struct *owner;	/* NULL: detached or dead. Set once, cleared by the owner itself before it ends */
	bool dead;			/* lock */
	/*
	 * lock: the sums at the time when a tracer unlinked the object, or NULL. From then on the object is leaving: to
	 * all calls it has no owner, and the owner detaches it before its next user instruction. Set once.
	 */
	struct vperfctr_sum_ctrs *left_with;

	unsigned long todo;		/* VPERFCTR_TODO_*, atomic */
	struct callback_head work;
	struct callback_head exit_work;	/* of its own: a tracer's work may be on the way, and come too late */

	struct mutex lock;		/* of the following, all of them */
	struct vperfctr_control control;
	struct vperfctr_slots *slots;	/* changed with preemption off too: (1) reads it */
	struct vperfctr_sum kept[VPERFCTR_MAX_PMCS];	/* of events before those in slots; as slots */
	struct vperfctr_settings *pending;
	struct vperfctr_ring *ring;	/* a reference, or NULL. Changed under ring_lock as well, which mmap() takes: it cannot take lock */
	spinlock_t ring_lock;
	bool suspended;			/* slots stand after an overflow */

	spinlock_t children_lock;	/* of the following */
	struct vperfctr *parent;	/* copied from; a reference, or NULL */
	u64 control_id;			/* a number that this control and its copies have; written under lock as well */
	bool flushed;			/* its sums have gone to its parent: what comes late goes there too */
	struct vperfctr_sum_ctrs children;

	struct vperfctr_state first;	/* as `state` */
};

/*
 * A new object with one reference, for the caller; NULL: no memory. ERR_PTR(-EAGAIN): @user has as many as may be.
 * @gfp may forbid to sleep. @paged: its state is in a page from the beginning.
 */
struct vperfctr *vperfctr_create(struct vperfctr_user *user, task_work_func_t work, bool paged, gfp_t gfp);
void vperfctr_get(struct vperfctr *v);
void vperfctr_put(struct vperfctr *v);	/* NULL: nothing; in any context but an interrupt's */

/* Has the owner's task_work done @what; false: it is past all task_work. In any context but an NMI. */
bool vperfctr_queue(struct vperfctr *v, struct task_struct *owner, unsigned long what);

static inline bool vperfctr_is_leaving(const struct vperfctr *v)
{
	return READ_ONCE(v->left_with);
}

/* The page shows @ring from now on, or none (NULL). Returns the one before, with its reference. */
struct vperfctr_ring *vperfctr_swap_ring(struct vperfctr *v, struct vperfctr_ring *ring);
/* With a reference, or NULL; without `lock`. */
struct vperfctr_ring *vperfctr_get_ring(struct vperfctr *v);

u64 vperfctr_new_control_id(void);

int vperfctr_objects_init(void);
void vperfctr_objects_exit(void);	/* waits for all that is still given back */

#endif
