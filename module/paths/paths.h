/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/paths.h -- call paths of samples in the kernel and in programs.
 *
 * The handler walks the kernel's stack, then the program's stack from the user registers. If the
 * mappings are unknown or the stack is deep, the task itself walks its stack when it resolves the
 * sample's address (resolve.c). A path is stored as the numbers of two nodes (paths/nodes.h), one
 * for its kernel part and one for its user part. A sample without a path is stored with its address
 * only.
 *
 * When call paths are off, the handler only tests whether its table has a book.
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
	 * .depth == 0: call paths are off */
	unsigned long depth;
	unsigned long tables_max;
	unsigned long nodes;		/* maximum number of nodes in a book */
	/* protects the unwind tables, and the books' pointers to them */
	spinlock_t lock;
	struct oprofile_path_tables tables;
	/* the book that tables of samples use from now on; written with the lock held */
	struct oprofile_path_book *book;
	/* book of earlier tables of samples, which have not been completely drained; written with
	 * the lock held */
	struct oprofile_path_book *old;
	struct oprofile_waker *waker;	/* wakes the drain thread */
	u32 epoch;
	atomic_t maps;			/* number of the map that was created last */
	u32 chain[OPROFILE_MAX_DEPTH + 1];	/* the nodes that the drain must write to the ring
						 * before a sample, because the reader does not know
						 * them */
};

enum oprofile_path_result {
	/* no path was found: count the sample by its address */
	OPROFILE_PATH_NONE,
	OPROFILE_PATH_CAPTURED,
	/* a part of the path was found; the task can complete the path */
	OPROFILE_PATH_INCOMPLETE,
};

void oprofile_paths_init(struct oprofile_paths *p);
/* If call paths are on, create the first book of call paths. Called when sampling begins, with the
 * session's lock held. Return 0 or -ENOMEM. */
int oprofile_paths_start(struct oprofile_sampling *s);
/* If call paths are on, allocate the CPU's walkers, and let its table use the current book. Called
 * in process context, when the CPU's tables have been allocated. Return 0 or -ENOMEM. */
int oprofile_paths_prepare_cpu(struct oprofile_sampling *s, struct oprofile_cpu *pcpu);
/* Free the CPU's walkers. Called when no handler and no task can use them any more. */
void oprofile_paths_release(struct oprofile_cpu *pcpu);
void oprofile_paths_shutdown(struct oprofile_paths *p);

/*
 * Replace the address of @hit by a path in the book of the table @t. @regs are the registers of the
 * interrupt; @id identifies the task. Called by handlers on their CPU. If the result is INCOMPLETE,
 * a user hit is unchanged, a kernel hit has the known part of its path, and the task can complete
 * the path later.
 */
enum oprofile_path_result oprofile_path_capture(struct oprofile_cpu *pcpu, struct oprofile_table *t,
						struct pt_regs *regs,
						const struct oprofile_task_id *id,
						struct oprofile_hit *hit);
/* Subtract the hit from the counters of paths, because the hit will be counted by another path or
 * by its address. */
void oprofile_path_uncount(struct oprofile_cpu *pcpu, const struct oprofile_path_book *b,
			   const struct oprofile_hit *hit);
/* Set *@ret to the mapping and offset of the innermost frame of the path @where of a user hit. */
void oprofile_path_place(const struct oprofile_path_book *b, u64 where,
			 struct oprofile_place *place);

/* Read the mappings of @mm, and store them until they change. @payer: the user who pays for them
 * (payer.h); @tgid: the process. The current task has the root directory of this process. If this
 * also finds the program's cookie, store the cookie in *@program. Sleeps only for short times. */
void oprofile_paths_read_mappings(struct oprofile_sampling *s, struct mm_struct *mm, u64 payer,
				  pid_t tgid, struct oprofile_known_program *program);
/* Find the file and offset of the current task's @pc in the stored mappings, and the generation for
 * which they are valid. Return false if the mapping is unknown. */
bool oprofile_paths_find(struct oprofile_sampling *s, const struct mm_struct *mm, unsigned long pc,
			 struct oprofile_place *place, u64 *generation);
/*
 * Called by the task itself on its return to user mode, under RCU, on the CPU whose table uses the
 * book @b. oprofile_path_resolve() finds the path of a user hit, as oprofile_path_capture() does;
 * it returns false if it has changed nothing. oprofile_path_complete() returns the whole path of a
 * kernel hit with the same user registers, of which the handler has captured a part. If the whole
 * path differs from this part, both are counted until the caller calls oprofile_path_uncount() for
 * one of them.
 *
 * If another task waits for the CPU, a walk of a deep stack sets *@paused and changes nothing: the
 * caller must let that task run, and call again. @paused NULL: walk at most as many new frames as a
 * handler does.
 */
bool oprofile_path_resolve(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   struct oprofile_hit *hit, bool *paused);
u64 oprofile_path_complete(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   const struct oprofile_hit *hit, bool *paused);

/*
 * Find the call path of a task that waits. oprofile_path_user_of() walks the user stack from the
 * registers @user. It returns the node of the path, or NO_NODE if it finds no path, and sets *@end
 * to the reason for the path's end. The caller has switched to the task's memory map @mm.
 * oprofile_path_kernel_of() walks the kernel stack from @regs, and replaces the address in @hit by
 * the whole path. @user: the node of the user path, or 0 for a thread without a program. It returns
 * false if @hit is unchanged. Both are called with interrupts off, on the CPU whose table uses the
 * book @b.
 */
u32 oprofile_path_user_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			  const struct mm_struct *mm, struct pt_regs *user, u32 *end);
bool oprofile_path_kernel_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			     struct task_struct *task, struct pt_regs *regs, u32 user, u32 end,
			     struct oprofile_hit *hit);

/* Evict unwind tables until the rest is within the size limit. Called after a change of the
 * limit. */
void oprofile_paths_fit(struct oprofile_paths *p);
/* Handle the ioctl OPROFILE_IOC_TABLE, by which the reader passes an unwind table. */
int oprofile_paths_ioctl(struct oprofile_paths *p, struct oprofile_cookies *c,
			 struct oprofile_unwind_table __user *arg);

#endif
