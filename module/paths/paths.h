/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/paths.h -- call paths of samples in the kernel and in programs.
 *
 * The handler walks the kernel's stack, then the program's stack from the user registers. If the
 * mappings are unknown or the stack is deep, the task does the walk when it resolves the sample's
 * address (resolve.c). A path is stored as the numbers of two nodes in the book of the CPU's table.
 * A sample without a path is stored with its address only.
 *
 * When call paths are off, the handler only reads its table's `book`.
 */
#ifndef OPROFILE_PATHS_PATHS_H
#define OPROFILE_PATHS_PATHS_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "paths/book.h"
#include "paths/tables.h"
#include "paths/walk.h"

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
	/* settings; protected by the sampling's lock, and unchanged while sampling is started;
	 * .depth 0: call paths are off */
	unsigned long depth;
	unsigned long tables_max;
	unsigned long nodes;		/* maximum number of nodes in a book */
	/* protects the unwind tables, and books' references to them */
	spinlock_t lock;
	struct oprofile_path_tables tables;
	/* book for new tables of samples; must be written with the lock held */
	struct oprofile_path_book *book;
	/* book of earlier tables of samples that have not been written completely; must be written
	 * with the lock held */
	struct oprofile_path_book *old;
	struct oprofile_waker *waker;	/* wakes the drain thread */
	u32 epoch;
	atomic_t maps;			/* number of the last map that was made */
	u32 chain[OPROFILE_MAX_DEPTH + 1];	/* nodes that the drain has to send */
};

enum oprofile_path_result {
	/* no path was found: the sample is stored with its address */
	OPROFILE_PATH_NONE,
	OPROFILE_PATH_CAPTURED,
	/* the known part of the path was found; the task can complete the path */
	OPROFILE_PATH_INCOMPLETE,
};

void oprofile_paths_init(struct oprofile_paths *p);
/* Called when sampling begins, with the session's lock held. Return 0 or -ENOMEM. */
int oprofile_paths_start(struct oprofile_sampling *s);
/* Called in process context, when a CPU's tables have been allocated. */
int oprofile_paths_prepare_cpu(struct oprofile_sampling *s, struct oprofile_cpu *pcpu);
/* Called when no handler and no task can use the paths any more. */
void oprofile_paths_release(struct oprofile_cpu *pcpu);
void oprofile_paths_shutdown(struct oprofile_paths *p);

/* Replace the address of @hit by a path in the book of the table @t. @regs are the registers of
 * the interrupt, @id identifies the task. Called by handlers on their CPU. Result INCOMPLETE:
 * for a user hit, nothing was changed; for a kernel hit, the task can complete the path. */
enum oprofile_path_result oprofile_path_capture(struct oprofile_cpu *pcpu, struct oprofile_table *t,
						struct pt_regs *regs,
						const struct oprofile_task_id *id,
						struct oprofile_hit *hit);
/* Release the path of a hit that will get another path or no path. */
void oprofile_path_uncount(struct oprofile_cpu *pcpu, const struct oprofile_path_book *b,
			   const struct oprofile_hit *hit);
/* Set *@ret to the position of the innermost frame of a user hit's path @where. */
void oprofile_path_place(const struct oprofile_path_book *b, u64 where,
			 struct oprofile_place *place);

/* Read the current task's mappings, which are kept until they change. If this finds the
 * program's cookie, store it in *@program. Does not sleep for long. */
void oprofile_paths_read_mappings(struct oprofile_sampling *s, struct mm_struct *mm,
				  struct oprofile_known_program *program);
/* Find the position of the current task's @pc in the kept mappings, and the generation for which it
 * is valid. Return false if it is unknown. */
bool oprofile_paths_find(struct oprofile_sampling *s, const struct mm_struct *mm, unsigned long pc,
			 struct oprofile_place *place, u64 *generation);
/*
 * The task itself calls these functions on its return to user mode, under RCU, on one CPU whose
 * table uses the book @b. oprofile_path_resolve() does the same as oprofile_path_capture() for a
 * user hit, and returns false if it has changed nothing. oprofile_path_complete() returns the whole
 * path of a kernel hit with the same user registers, of which the handler has captured a part. If
 * the whole path differs from this part, both are counted until the caller releases one of them.
 *
 * If another task waits for the CPU, a walk of a deep stack sets *@paused and changes nothing: the
 * caller lets that task run and begins again. @paused NULL: take no more new frames than a handler
 * does.
 */
bool oprofile_path_resolve(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   struct oprofile_hit *hit, bool *paused);
u64 oprofile_path_complete(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   const struct oprofile_hit *hit, bool *paused);

/* Remove tables until all fit into the limit, which may have changed. */
void oprofile_paths_fit(struct oprofile_paths *p);
/* Handle OPROFILE_IOC_TABLE. */
int oprofile_paths_ioctl(struct oprofile_paths *p, struct oprofile_cookies *c,
			 struct oprofile_unwind_table __user *arg);

#endif
