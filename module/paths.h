/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths.h -- call paths: how a sample was come to, in the program and in the kernel.
 *
 * The handler takes the kernel's part, then the program's from its registers of user mode. What it does not know
 * (what is mapped where) or has no time for (deep stacks) the task does, when it looks up where it was hit (resolve.c). A path is
 * two numbers of nodes in the book that the CPU's table counts by; where there is none, a sample is a plain one.
 *
 * Off, all of this costs the handler a look at its table.
 */
#ifndef OPROFILE_PATHS_H
#define OPROFILE_PATHS_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "path_book.h"
#include "path_tables.h"
#include "path_walk.h"

struct mm_struct;
struct oprofile_cookies;
struct oprofile_cpu;
struct oprofile_hit;
struct oprofile_hooks;
struct oprofile_known_program;
struct oprofile_place;
struct oprofile_sampling;
struct oprofile_table;
struct oprofile_task_id;
struct oprofile_unwind_table;
struct oprofile_waker;
struct pt_regs;

struct oprofile_paths {
	/* settings: sampling's lock; unchanged while started. 0: paths are off */
	unsigned long depth;
	unsigned long tables_max;
	unsigned long nodes;		/* how many nodes a book has */
	spinlock_t lock;		/* for tables, and for what books say of them */
	struct oprofile_path_tables tables;
	/* to write it, hold the lock: new tables count by this one */
	struct oprofile_path_book *book;
	/* to write it, hold the lock: earlier tables counted by it, and some are still to be
	 * written */
	struct oprofile_path_book *old;
	struct oprofile_waker *waker;	/* wakes the drain */
	u32 epoch;
	atomic_t maps;			/* numbers that were given to maps */
	u32 chain[OPROFILE_MAX_DEPTH + 1];	/* the drain's own: nodes still to be sent */
};

enum oprofile_path_taken {
	OPROFILE_PATH_NONE,		/* a plain sample */
	OPROFILE_PATH_TAKEN,
	OPROFILE_PATH_UNKNOWN,		/* taken, as far as is known; the task knows more */
};

void oprofile_paths_init(struct oprofile_paths *p);
/* Call it when sampling begins, with the session's lock held. 0 or ENOMEM. */
int oprofile_paths_start(struct oprofile_sampling *s);
/* Call it when a CPU has got its tables. Process context. */
int oprofile_paths_take_on(struct oprofile_sampling *s, struct oprofile_cpu *pcpu);
/* Call it when no handler and no task can be looking any more. */
void oprofile_paths_release(struct oprofile_cpu *pcpu);
void oprofile_paths_shutdown(struct oprofile_paths *p);

/* Makes of @hit, which has an address, a hit that has a path in @t's book instead. @regs are the interrupt's, @id is whose
 * hit it is. Handlers call it on their CPU. When it returns UNKNOWN for a user hit, it has changed nothing;
 * for a kernel hit, the task can complete it. */
enum oprofile_path_taken oprofile_path_take(struct oprofile_cpu *pcpu, struct oprofile_table *t, struct pt_regs *regs,
					    const struct oprofile_task_id *id, struct oprofile_hit *hit);
/* The hit, which has been given a path, is to have another one, or none. */
void oprofile_path_untake(struct oprofile_cpu *pcpu, const struct oprofile_path_book *b, const struct oprofile_hit *hit);
/* Where the path @where of a user hit ends. */
void oprofile_path_place(const struct oprofile_path_book *b, u64 where, struct oprofile_place *place);

/* Looks up what the current task has mapped; that stays known until it changes. *@program is what was found of that by
 * the way, and stays as it is when that is nothing. Does not sleep for long. */
void oprofile_paths_learn(struct oprofile_sampling *s, struct mm_struct *mm, struct oprofile_known_program *program);
/* Where the current task's @pc is, and the generation for which that holds, from what was learnt. False: it is not known. */
bool oprofile_paths_find(struct oprofile_sampling *s, const struct mm_struct *mm, unsigned long pc,
			 struct oprofile_place *place, u64 *generation);
/*
 * For the current task on its way back to user mode, under RCU, on one CPU, whose table counts by the book @b. The first does
 * the same as take() for a user hit. False: it has changed nothing. The second gives what is to be the `where` of a kernel
 * hit, whose path the handler took as far as it could, and which has the same registers of user mode; if that is another
 * path, both are in the books until one is taken back.
 *
 * A walk of a deep stack sets *@paused and changes nothing when another task waits for the CPU: the caller lets that task
 * run and begins again. NULL: take no more new frames than a handler does.
 */
bool oprofile_path_resolve(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, struct oprofile_hit *hit, bool *paused);
u64 oprofile_path_complete(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, const struct oprofile_hit *hit, bool *paused);

/* Lets tables go until all fit into the limit, which may be a new one. */
void oprofile_paths_fit(struct oprofile_paths *p);
/* Does OPROFILE_IOC_TABLE. */
int oprofile_paths_ioctl(struct oprofile_paths *p, struct oprofile_cookies *c, struct oprofile_unwind_table __user *arg);

#endif
