/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/threads.h -- table of the threads that have left a CPU, with an account of each.
 *
 * A thread's entry is used only by the CPU that switches from or to the thread. Switches of one
 * thread never overlap, because a CPU switches to a thread only after the CPU that left it has
 * completed its switch. So only the claim of an entry needs an atomic operation. An entry is freed
 * at the last switch of its thread, before the memory of the task can become another thread. The
 * pointer to the task is compared, but never dereferenced. It alone is the key: the start time of
 * a thread that executes a program becomes that of the first thread of its process.
 *
 * An entry can be in either of two buckets, and the table has twice the entries that were asked
 * for, so that it refuses no thread below that number.
 */
#ifndef OPROFILE_OFFCPU_THREADS_H
#define OPROFILE_OFFCPU_THREADS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "uapi/offcpu_account.h"

#define OPROFILE_OFFCPU_WAYS	4

struct oprofile_lookup;

struct oprofile_offcpu_thread {
	const void *task;	/* the thread; NULL: the entry is free */
	u64 since;		/* time in ns at which the thread left its CPU; 0: it runs */
	struct oprofile_offcpu_account account;
	u8 reason;		/* of the last wait: enum oprofile_offcpu_reason */
	/* reason of the last wait in a system call, which the call has again when it is restarted;
	 * 0: none */
	u8 call_reason;
	/* lookup of the last sample that needed one (oprofile_resolve_again()); NULL: none */
	struct oprofile_lookup *lookup;
} __aligned(64);

struct oprofile_offcpu_threads {
	struct oprofile_offcpu_thread (*bucket)[OPROFILE_OFFCPU_WAYS];
	unsigned int bits;	/* log2 of the number of buckets */
};

/* Allocate a table for @nr threads, a power of two. Return 0 or -ENOMEM. */
int oprofile_offcpu_threads_alloc(struct oprofile_offcpu_threads *t, unsigned long nr);
void oprofile_offcpu_threads_free(struct oprofile_offcpu_threads *t);

/* Return the entry of the thread, or NULL. Called with interrupts off. */
struct oprofile_offcpu_thread *oprofile_offcpu_thread_find(const struct oprofile_offcpu_threads *t,
							   const void *task);
/* Return a new entry for the thread, which has none. @moment: see above. Return NULL if both
 * buckets of the thread are full. Called with interrupts off. */
struct oprofile_offcpu_thread *oprofile_offcpu_thread_add(struct oprofile_offcpu_threads *t,
							  const void *task, u64 moment);
void oprofile_offcpu_thread_free(struct oprofile_offcpu_thread *thread);
typedef void (*oprofile_offcpu_thread_fn)(void *arg, const struct oprofile_offcpu_thread *thread);
/* Call @fn(@arg, entry) for each entry. No CPU may use the table. */
void oprofile_offcpu_threads_each(const struct oprofile_offcpu_threads *t,
				  oprofile_offcpu_thread_fn fn, void *arg);

#endif
