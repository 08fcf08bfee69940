/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup.h -- lookups: deferred work in which a task finds the file of its sampled address, or the
 * name of its program.
 *
 * Each CPU has a pool of lookups, with a limit for each user (payer.h). The pool lives from the
 * first setup to module unload. A queued lookup cannot be cancelled, and a task sampled in a system
 * call may sleep there for days before it runs the lookup. So each queued lookup has a reference to
 * the module, which prevents unloading; `holders` in oprofilefs lists the tasks. When a run of
 * sampling ends, queued lookups are abandoned: new lookups replace them in the pool, and the tasks
 * free the old ones without using their results.
 */
#ifndef OPROFILE_LOOKUP_H
#define OPROFILE_LOOKUP_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "cpu.h"

struct oprofile_sampling;
struct seq_file;

/* IDLE: the lookup is unused in the pool, or not queued yet. QUEUED: the lookup is queued on a
 * task. ABANDONED: the lookup is queued on a task, which will free the lookup. */
enum { LOOKUP_IDLE, LOOKUP_QUEUED, LOOKUP_ABANDONED };

/* Maximum number of pending requests for programs' cookies: on all CPUs together, and for the
 * tasks of one user. */
#define OPROFILE_MAX_REQUESTS	64
#define OPROFILE_USER_REQUESTS	16

/* A request to a task to find the cookie of its program. A task gets at most one request between
 * two execs. The members below .task are valid once .task is set. */
struct oprofile_request {
	/* task that executes the request; the pointer is never dereferenced; NULL: the request is
	 * unused; an ERR_PTR: the request is being filled in */
	const void *task;
	u64 exec_id;
	u8 user;			/* index of the task's user in .requests_of */
};

struct oprofile_resolver {
	/* number of the current run of sampling; results of lookups that began in earlier runs are
	 * discarded */
	u32 run;
	atomic_t samples;		/* number of queued lookups that resolve a sample */
	struct oprofile_request requests[OPROFILE_MAX_REQUESTS];
	atomic_t requests_of[OPROFILE_NR_USERS];	/* number of used requests of each user */
	/* wait queue, woken when `samples` becomes 0 while sampling is off */
	wait_queue_head_t done;
	bool wake_when_done;
	spinlock_t lock;
	struct list_head abandoned;	/* queued lookups of earlier runs; protected by .lock */
	/* called in the interrupt of a lookup's irq_work, after the NMI that queued the irq_work */
	void (*nmi_is_over)(struct irq_work *work);
};

struct oprofile_lookup {
	struct callback_head work;
	struct llist_node node;		/* node in the list pcpu->moved */
	struct list_head abandoned;	/* node in the resolver's list of abandoned lookups */
	struct oprofile_cpu *pcpu;	/* the CPU that was interrupted */
	u32 index;			/* the lookup's index in pcpu->lookups */
	u64 exec_id;			/* exec_id of the task at the time of the interrupt */
	/* id of the task's control group at the time of the interrupt; 0: not recorded */
	u64 group;
	/* the sampled task; this pointer is compared, but never dereferenced */
	const void *task;
	u64 start_time;
	struct irq_work from_nmi;
	struct oprofile_hit hit;
	/* user-mode pc and sp; set if the hit has a path, or if its path must be completed */
	u64 address, stack;
	/* number (epoch) of the book of call paths that contains the hit's path (paths/book.h) */
	u32 epoch;
	u32 run;
	u64 program;			/* id of the program (programs.h) */
	/*
	 * The request that this lookup executes; NULL: the lookup is for a sample. With a request,
	 * the lookup finds the program's cookie. If hit.n is not 0, the lookup also completes the
	 * path of this hit, which has been counted already.
	 */
	struct oprofile_request *request;
	u32 state;			/* state of the lookup, a LOOKUP_* constant */
	u8 user;			/* index of the task's user in pcpu->held_by */
	/* tid, in the initial pid namespace, of the task on which the lookup is queued; 0: not
	 * queued */
	pid_t holder;

	/* the task's attribution; valid only while the lookup is on the list pcpu->moved */
	struct oprofile_attribution who;
	struct oprofile_place place;

	struct oprofile_data data;	/* copy of the hit's data, including their words */
	u32 words[OPROFILE_MAX_DATA];
};

void oprofile_resolver_init(struct oprofile_resolver *r,
			    void (*nmi_is_over)(struct irq_work *work));

/* Allocate an idle lookup from the CPU's pool. Return NULL if all lookups are in use.
 * May be called in an NMI. */
struct oprofile_lookup *oprofile_lookup_get(struct oprofile_cpu *pcpu);
void oprofile_lookup_put(struct oprofile_lookup *p);

/* Return the index of the current task's user in the counters of lookups per user. Root has an
 * index of its own. */
u8 oprofile_lookup_user(void);

/*
 * Begin a request that the current task finds its program's cookie. Return NULL if the task has a
 * request already, if its user has too many, or if all requests are used. As long as a request
 * exists, its task is alive: a task runs its queued lookup before it exits, and the lookup ends the
 * request.
 */
struct oprofile_request *oprofile_request_begin(struct oprofile_resolver *r);

/* Account that a queued lookup has ended. @request: the lookup's request, or NULL. Return true if
 * no other queued lookup is for a sample. */
bool oprofile_lookup_done(struct oprofile_resolver *r, struct oprofile_request *request);

/* Free an abandoned lookup. */
void oprofile_lookup_free_abandoned(struct oprofile_resolver *r, struct oprofile_lookup *p);

/* Abandon the queued lookups at the end of a run of sampling, and put new lookups into the
 * pools. */
void oprofile_resolver_renew(struct oprofile_sampling *s);

/* Print the thread ids of tasks with queued lookups, one per line. A task may be printed twice if
 * its lookup is abandoned at the same time. */
void oprofile_resolver_holders(struct oprofile_sampling *s, struct seq_file *to);

/* Allocate the CPU's pool, if it has none. Return 0 or -ENOMEM. */
int oprofile_lookup_pool_alloc(struct oprofile_cpu *pcpu);
void oprofile_lookup_pool_free(struct oprofile_cpu *pcpu);

#endif
