/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup.h -- lookups: deferred work in which a task finds the file of its sampled address, or
 * names its program.
 *
 * Each CPU has a pool of lookups, with a limit for each user (payer.h). The pool lives from the
 * first setup to module unload. A queued lookup cannot be cancelled, and a task sampled in a system
 * call may sleep there for days before it runs the lookup. So each queued lookup has a reference to
 * the module, which cannot be unloaded meanwhile; `holders` in oprofilefs lists the tasks. When a
 * run ends, queued lookups are abandoned: they leave the pool, which gets new ones, and their tasks
 * free them unread.
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

/* IDLE: in the pool, or not yet queued. QUEUED: queued on a task. ABANDONED: queued, and the
 * task frees it. */
enum { LOOKUP_IDLE, LOOKUP_QUEUED, LOOKUP_ABANDONED };

/* Maximum number of requests for programs on all CPUs, and of those to one user's tasks. */
#define OPROFILE_MAX_REQUESTS	64
#define OPROFILE_USER_REQUESTS	16

/*
 * A request to a task to name its program, made once between two execs. The other members are valid
 * after the store of `task`.
 */
struct oprofile_request {
	/* never dereferenced; NULL: unused; an ERR_PTR: being filled in */
	const void *task;
	u64 exec_id;
	u8 user;			/* index in requests_of */
};

struct oprofile_resolver {
	/* number of the run; results of earlier runs are discarded */
	u32 run;
	atomic_t samples;		/* number of queued lookups for a sample */
	struct oprofile_request requests[OPROFILE_MAX_REQUESTS];
	atomic_t requests_of[OPROFILE_NR_USERS];	/* number of used requests by user */
	wait_queue_head_t done;		/* woken when `samples` becomes 0 while not sampling */
	bool wake_when_done;
	spinlock_t lock;
	struct list_head abandoned;	/* lock: lookups of earlier runs that are still queued */
	void (*nmi_is_over)(struct irq_work *work);	/* function of a lookup's from_nmi */
};

struct oprofile_lookup {
	struct callback_head work;
	struct llist_node node;		/* on pcpu->moved */
	struct list_head abandoned;	/* on the resolver's list */
	struct oprofile_cpu *pcpu;	/* the interrupted CPU */
	u32 index;			/* in pcpu->lookups */
	u64 exec_id;			/* the task's, at the interrupt */
	const void *task;		/* never dereferenced */
	u64 start_time;
	struct irq_work from_nmi;
	struct oprofile_hit hit;
	/* user mode's, if the hit has a path, or its path is to be completed */
	u64 address, stack;
	u32 epoch;			/* epoch of the book with the hit's path */
	u32 run;
	u64 program;			/* id of the program: programs.h */
	/* NULL: the lookup is for a sample. Otherwise it is for the program's cookie; a nonzero
	 * hit.n asks in addition to complete the path of this hit, which has been counted. */
	struct oprofile_request *request;
	u32 state;			/* LOOKUP_* */
	u8 user;			/* index in pcpu->held_by */
	/* the task it is queued on, in the initial pid namespace, or 0 */
	pid_t holder;

	/* valid only while the lookup is on pcpu->moved */
	struct oprofile_attribution who;
	struct oprofile_place place;

	struct oprofile_data data;	/* a copy of the hit's data, and of its words */
	u32 words[OPROFILE_MAX_DATA];
};

void oprofile_resolver_init(struct oprofile_resolver *r,
			    void (*nmi_is_over)(struct irq_work *work));

/* Get an idle lookup from the pool, or NULL. NMI safe. */
struct oprofile_lookup *oprofile_lookup_get(struct oprofile_cpu *pcpu);
void oprofile_lookup_put(struct oprofile_lookup *p);

/* Return the share of the current task's user. Root has a share of its own. */
u8 oprofile_lookup_user(void);

/*
 * Begin a request to the current task. Return NULL if the task has one already, if its user has too
 * many, or if none is free. As long as a request exists, its task is alive: a task runs its queued
 * lookup before it exits, and the lookup ends the request.
 */
struct oprofile_request *oprofile_request_begin(struct oprofile_resolver *r);

/* Account the end of a queued lookup with @request. Return true if it was the last queued one
 * for a sample. */
bool oprofile_lookup_done(struct oprofile_resolver *r, struct oprofile_request *request);

/* Free an abandoned lookup. */
void oprofile_lookup_free_abandoned(struct oprofile_resolver *r, struct oprofile_lookup *p);

/* Abandon the queued lookups at the end of a run, and add new ones to the pools. */
void oprofile_resolver_renew(struct oprofile_sampling *s);

/* Print the thread ids of tasks with queued lookups, one a line. A task may be printed twice if
 * its lookup is abandoned meanwhile. */
void oprofile_resolver_holders(struct oprofile_sampling *s, struct seq_file *to);

/* Allocate the CPU's pool, if it has none. Return 0 or -ENOMEM. */
int oprofile_lookup_pool_alloc(struct oprofile_cpu *pcpu);
void oprofile_lookup_pool_free(struct oprofile_cpu *pcpu);

#endif
