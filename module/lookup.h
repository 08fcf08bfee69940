/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup.h -- look-ups: deferred work in which a task finds the file of its sampled address, or the
 * name of its program.
 *
 * Each CPU has a pool of look-ups, with a limit for each user (payer.h). The pool lives from the
 * first setup to module unload. A queued look-up cannot be cancelled, and a task sampled in a
 * system call may sleep there for days before it runs the look-up. So each queued look-up has a
 * reference to the module, which cannot be unloaded meanwhile; `holders` in oprofilefs lists the
 * tasks. When a run ends, queued look-ups are abandoned: they leave the pool, which gets new
 * look-ups, and their tasks free them without using them.
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

/* IDLE: the look-up is in the pool, or not queued yet. QUEUED: it is queued on a task. ABANDONED:
 * it is queued, and the task will free it. */
enum { LOOKUP_IDLE, LOOKUP_QUEUED, LOOKUP_ABANDONED };

/* Maximum number of requests for programs on all CPUs together; and the maximum of requests to the
 * tasks of one user. */
#define OPROFILE_MAX_REQUESTS	64
#define OPROFILE_USER_REQUESTS	16

/*
 * A request to a task to find the cookie of its program. A task gets one request between two execs.
 * The other members are valid after .task was stored.
 */
struct oprofile_request {
	/* the task; only compared; NULL: the request is unused; an ERR_PTR: the request is being
	 * filled in */
	const void *task;
	u64 exec_id;
	u8 user;			/* index of the user in .requests_of */
};

struct oprofile_resolver {
	/* number of the run of sampling; results of earlier runs are discarded */
	u32 run;
	atomic_t samples;		/* number of queued look-ups that are for a sample */
	struct oprofile_request requests[OPROFILE_MAX_REQUESTS];
	atomic_t requests_of[OPROFILE_NR_USERS];	/* number of used requests of each user */
	/* wait queue, woken when `samples` becomes 0 while sampling is off */
	wait_queue_head_t done;
	bool wake_when_done;
	spinlock_t lock;
	struct list_head abandoned;	/* queued look-ups of earlier runs; protected by .lock */
	/* called after an NMI, as the function of a look-up's irq_work */
	void (*nmi_is_over)(struct irq_work *work);
};

struct oprofile_lookup {
	struct callback_head work;
	struct llist_node node;		/* node in the list pcpu->moved */
	struct list_head abandoned;	/* node in the resolver's list of abandoned look-ups */
	struct oprofile_cpu *pcpu;	/* the CPU that was interrupted */
	u32 index;			/* the look-up's index in pcpu->lookups */
	u64 exec_id;			/* exec_id of the task at the interrupt */
	const void *task;		/* the sampled task, which is only compared, never read */
	u64 start_time;
	struct irq_work from_nmi;
	struct oprofile_hit hit;
	/* user-mode program counter and stack pointer, if the hit has a path, or its path must be
	 * completed */
	u64 address, stack;
	u32 epoch;			/* epoch of the book that contains the hit's path */
	u32 run;
	u64 program;			/* id of the program (programs.h) */
	/*
	 * The request that the look-up executes; NULL: the look-up is for a sample. A look-up with
	 * a request finds the program's cookie. If hit.n is not 0, it also completes the path of
	 * this hit, which has been counted already.
	 */
	struct oprofile_request *request;
	u32 state;			/* state of the lookup, a LOOKUP_* constant */
	u8 user;			/* index of the user in pcpu->held_by */
	/* id, in the initial pid namespace, of the task on which the look-up is queued; 0: not
	 * queued */
	pid_t holder;

	/* valid only while the lookup is on pcpu->moved */
	struct oprofile_attribution who;
	struct oprofile_place place;

	struct oprofile_data data;	/* copy of the hit's data, whose words are copied as well */
	u32 words[OPROFILE_MAX_DATA];
};

void oprofile_resolver_init(struct oprofile_resolver *r,
			    void (*nmi_is_over)(struct irq_work *work));

/* Get an idle look-up from the pool, or NULL. May be called in an NMI. */
struct oprofile_lookup *oprofile_lookup_get(struct oprofile_cpu *pcpu);
void oprofile_lookup_put(struct oprofile_lookup *p);

/* Return the share index of the current task's user. Root has its own share. */
u8 oprofile_lookup_user(void);

/*
 * Begin a request to the current task. Return NULL if the task has a request already, if its user
 * has too many, or if all requests are used. As long as a request exists, its task is alive: a task
 * runs its queued look-up before it exits, and the look-up ends the request.
 */
struct oprofile_request *oprofile_request_begin(struct oprofile_resolver *r);

/* Account the end of a queued look-up. @request is the look-up's request or NULL. Return true if no
 * other look-up for a sample is queued. */
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
