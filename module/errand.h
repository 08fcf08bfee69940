/* SPDX-License-Identifier: GPL-2.0 */
/*
 * errand.h -- what tasks are asked to look up: each CPU has a pool of errands, and who may have how many of
 * them is limited by user (payer.h).
 *
 * Errands live from the first setup to module unload, because a starved task may hold one for long.
 * A task hit in a system call may sleep there for days before it names its program, and nothing
 * takes an errand away from its task: each errand that a task holds has a reference to the module,
 * which cannot be unloaded meanwhile. oprofilefs' `holders` names the tasks. When a run ends, errands
 * still held leave the pool, which gets new ones in their place; their tasks free them unread.
 */
#ifndef OPROFILE_ERRAND_H
#define OPROFILE_ERRAND_H

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

/* Of an errand: in the pool or on its way, with a task that has yet to look at it, with one for good. */
enum { ERRAND_OURS, ERRAND_HELD, ERRAND_LEFT };

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
	void (*nmi_is_over)(struct irq_work *work);	/* of an errand's from_nmi */
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
	/* the hit's, when it has a path instead; of a path to be completed, those of user mode */
	u64 address, stack;
	u32 epoch;			/* of the book that its path is in */
	u32 run;
	u64 program;			/* id of what runs: programs.h */
	/* the program's cookie is wanted, and what the path of a hit that is counted lacks, if there is one; NULL: a sample */
	struct oprofile_asked *asked;
	u32 state;			/* ERRAND_* */
	u8 user;			/* in pcpu->held_by */
	pid_t holder;			/* the task that has yet to look, or 0; outside of namespaces */

	/* filled in for pcpu->strays */
	struct oprofile_attribution who;
	struct oprofile_place place;

	struct oprofile_data data;	/* the hit's, and its words */
	u32 words[OPROFILE_MAX_DATA];
};

void oprofile_resolver_init(struct oprofile_resolver *r, void (*nmi_is_over)(struct irq_work *work));

/* One that nobody holds, or NULL. An NMI may come in and take one, too. */
struct oprofile_errand *oprofile_errand_take(struct oprofile_cpu *pcpu);
void oprofile_errand_put(struct oprofile_errand *p);

/* The current task's user, by the low bits of the number, but for root, who shares with nobody. */
u8 oprofile_errand_user(void);

/*
 * Enters the current task among those asked: NULL when it is one already, or its user has enough of
 * them. An entry is as true as its task is alive, for that gives its errand back before it dies.
 */
struct oprofile_asked *oprofile_errand_ask(struct oprofile_resolver *r);

/* One errand less is out: @asked is what it had. True: that was the last one for a sample. */
bool oprofile_errand_let_go(struct oprofile_resolver *r, struct oprofile_asked *asked);

/* Its run is over and the pool has another one in its place. */
void oprofile_errand_free_left(struct oprofile_resolver *r, struct oprofile_errand *p);

/* A run is over: the pool gets new errands for those that tasks hold. */
void oprofile_resolver_renew(struct oprofile_sampling *s);

/* A line with the thread id of each task that holds an errand. One that changes lists meanwhile may be there twice. */
void oprofile_resolver_holders(struct oprofile_sampling *s, struct seq_file *to);

/* 0 or ENOMEM; keeps a pool that is there. */
int oprofile_errand_alloc(struct oprofile_cpu *pcpu);
void oprofile_errand_free(struct oprofile_cpu *pcpu);

#endif
