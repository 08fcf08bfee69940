/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h -- from a user address to a place in a file, in the context of the task that was hit.
 *
 * The handler takes an errand from its CPU's pool and adds it to the task's own work; the task runs
 * it before its next user instruction, when nothing of its memory map can have changed by its own
 * doing.
 *
 * An NMI may not do that, and returns to user mode without a look at the task's work. It queues an
 * irq_work, whose interrupt the CPU takes as soon as interrupts are on: in user mode a few
 * instructions later at most, else before the task can have left the CPU. Should another task run
 * there all the same, the sample is lost by name; should the task have got as far as another exec,
 * too.
 *
 * Errands live from the first setup to module unload, because a starved task may hold one for long.
 * A task hit in a system call may sleep there for days before it names its program, and nothing
 * takes an errand away from its task: each errand that a task holds has a reference to the module,
 * which cannot be unloaded meanwhile. oprofilefs' `holders` names the tasks. When a run ends, errands
 * still held leave the pool, which gets new ones in their place; their tasks free them unread.
 */
#ifndef OPROFILE_RESOLVE_H
#define OPROFILE_RESOLVE_H

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

/* Of all CPUs' errands: those not for a sample, and of them those of one user's tasks. */
#define OPROFILE_MAX_NAMING	64
#define OPROFILE_USER_NAMING	16

/*
 * A task that was asked for its program, once in each life between two execs. The rest is true from
 * the store of `task` on.
 */
struct oprofile_asked {
	const void *task;		/* compared only; NULL: free, or an ERR_PTR: being filled in */
	u64 exec_id;
	u8 user;			/* in asked_of */
};

struct oprofile_resolver {
	u32 run;			/* changes when results are no longer wanted */
	atomic_t samples;		/* errands that tasks hold for a sample */
	struct oprofile_asked asked[OPROFILE_MAX_NAMING];
	atomic_t asked_of[OPROFILE_NR_USERS];	/* those of them that are not free, by user */
	wait_queue_head_t done;		/* woken when `samples` becomes 0 while not sampling */
	bool wake_when_done;
	spinlock_t lock;
	struct list_head left;		/* lock: errands of earlier runs that tasks hold */
};

struct oprofile_errand {
	struct callback_head work;
	struct llist_node node;		/* on pcpu->strays */
	struct list_head left;		/* on the resolver's list */
	struct oprofile_cpu *pcpu;		/* of the CPU that was interrupted */
	u32 index;			/* in pcpu->errands */
	u64 exec_id;			/* of the task when it was hit */
	const void *task;		/* compared only */
	u64 start_time;
	struct irq_work from_nmi;
	struct oprofile_hit hit;
	u32 run;
	u64 program;			/* id of what runs: programs.h */
	struct oprofile_asked *asked;	/* only the program's cookie is wanted; NULL: a sample */
	u32 state;			/* ERRAND_* */
	u8 user;			/* in pcpu->held_by */
	pid_t holder;			/* the task that has yet to look, or 0; outside of namespaces */

	/* filled in for pcpu->strays */
	struct oprofile_attribution who;
	struct oprofile_place place;

	struct oprofile_data data;	/* the hit's, and its words */
	u32 words[OPROFILE_MAX_DATA];
};

void oprofile_resolver_init(struct oprofile_resolver *r);

/* No handler runs any more: gives tasks a second to look up what they were asked for. */
void oprofile_resolver_settle(struct oprofile_sampling *s);

/* Queue the current task: called by the handler, NMI or not. Counts the loss when that fails. */
void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit);
/* Ask the current task to make its program's cookie. Best effort. */
void oprofile_resolve_app_later(struct oprofile_cpu *pcpu);

/* A run is over: the pool gets new errands for those that tasks hold. */
void oprofile_resolver_renew(struct oprofile_sampling *s);

/* A line with the thread id of each task that holds an errand; no more than @text has room for. */
size_t oprofile_resolver_holders(struct oprofile_sampling *s, char *text, size_t size);

/* 0 or ENOMEM; keeps a pool that is there. */
int oprofile_errand_alloc(struct oprofile_cpu *pcpu);
void oprofile_errand_free(struct oprofile_cpu *pcpu);
void oprofile_errand_put(struct oprofile_errand *p);

#endif
