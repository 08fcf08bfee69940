/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/threads.h -- table of the threads that have left a CPU, with an account of each.
 *
 * A thread's entry is used only by the CPU that switches from or to the thread. Switches of one
 * thread never overlap, because a CPU switches to a thread only after the CPU that left it has
 * completed its switch. A dump (ongoing.h) and a CPU that wakes the thread (wakers.c) use the
 * entries of threads that wait: they lock an entry for a short time, and a CPU that switches to the
 * thread waits for the unlock. An entry is freed at the last switch of its thread, before the
 * memory of the task can become another thread. The pointer to the task is dereferenced only while
 * the entry is locked, because then the thread cannot run, and so cannot end. The pointer alone is
 * the key: the start time of a thread that executes a program becomes that of the first thread of
 * its process.
 *
 * An entry can be in either of two buckets, and the table has twice the entries that were asked
 * for, so that it refuses no thread below that number. The threads of one user, other than root,
 * have at most half of the number that was asked for.
 */
#ifndef OPROFILE_OFFCPU_THREADS_H
#define OPROFILE_OFFCPU_THREADS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/processor.h>
#include <linux/types.h>

#include "uapi/offcpu_account.h"

#define OPROFILE_OFFCPU_WAYS	4

struct oprofile_lookup;

struct oprofile_offcpu_thread {
	const void *task;	/* the thread; NULL: the entry is free */
	/* time in ns at which the thread left its CPU, an even number; 0: it runs. Bit 0: the entry
	 * is locked */
	u64 since;
	struct oprofile_offcpu_account account;
	/* task state in which the thread left its CPU, 0 if it could run; and
	 * OPROFILE_OFFCPU_FREEZES */
	unsigned int state;
	/* reason of the last wait: enum oprofile_offcpu_reason; 0: not determined yet (wait.h) */
	u8 reason;
	/* reason of waits in the last system call that a signal interrupted: the restarted call has
	 * the same reason; 0: no such call */
	u8 call_reason;
	u8 share;		/* of the thread's user (payer.h) */
	/* if wakers are sampled, the thread's program, as in .woken of struct oprofile_hit; 0:
	 * unknown */
	u32 program;
	u32 exec_id;		/* .self_exec_id of the thread when .program was set */
	/* lookup of the last sample that needed one (oprofile_resolve_again()); NULL: none */
	struct oprofile_lookup *lookup;
} __aligned(64);

/* number of shares of users; share 0 belongs to root */
#define OPROFILE_OFFCPU_SHARES	128

struct oprofile_offcpu_threads {
	struct oprofile_offcpu_thread (*bucket)[OPROFILE_OFFCPU_WAYS];
	unsigned int bits;	/* log2 of the number of buckets */
	unsigned int shift;	/* 64 - .bits */
	u64 secret;		/* makes random numbers unknown to users */
	int share_max;		/* maximum number of entries of a share, except root's */
	atomic_t used[OPROFILE_OFFCPU_SHARES];	/* number of entries of each share */
};

/* Allocate a table for @nr threads, a power of two. Return 0 or -ENOMEM. */
int oprofile_offcpu_threads_alloc(struct oprofile_offcpu_threads *t, unsigned long nr);
void oprofile_offcpu_threads_free(struct oprofile_offcpu_threads *t);

/* Return the number of the thread's first bucket. */
static inline size_t oprofile_offcpu_bucket_of(const struct oprofile_offcpu_threads *t,
					       const void *task)
{
	return (u64)(unsigned long)task * GOLDEN_RATIO_64 >> t->shift;
}

/* Return the first entry of the thread's first bucket, which is most likely the thread's: compare
 * its task. */
static inline struct oprofile_offcpu_thread *
oprofile_offcpu_thread_first(const struct oprofile_offcpu_threads *t, const void *task)
{
	return t->bucket[oprofile_offcpu_bucket_of(t, task)];
}

/* Return the entry of the thread, or NULL. Called with interrupts off. */
struct oprofile_offcpu_thread *oprofile_offcpu_thread_find(const struct oprofile_offcpu_threads *t,
							   const void *task);
/* Return a new entry for the thread, which has none. @share: the share of the thread's user, less
 * than OPROFILE_OFFCPU_SHARES; @moment: the account's (uapi/offcpu_account.h). Return NULL if the
 * share or both buckets of the thread are full. Called with interrupts off. */
struct oprofile_offcpu_thread *oprofile_offcpu_thread_add(struct oprofile_offcpu_threads *t,
							  const void *task, u32 share, u64 moment);
void oprofile_offcpu_thread_free(struct oprofile_offcpu_threads *t,
				 struct oprofile_offcpu_thread *thread);

#define OPROFILE_OFFCPU_LOCKED	1

/* Publish that the thread waits since @now, an even number. The other members are set. */
static inline void oprofile_offcpu_thread_leaves(struct oprofile_offcpu_thread *t, u64 now)
{
	smp_store_release(&t->since, now);
}

/* Publish that the thread runs. Return the time at which its wait began; 0: unknown. If the entry
 * is locked, wait for the unlock. Called with interrupts off. */
static inline u64 oprofile_offcpu_thread_comes(struct oprofile_offcpu_thread *t)
{
	for (;;) {
		u64 since = READ_ONCE(t->since);

		if (unlikely(since & OPROFILE_OFFCPU_LOCKED))
			cpu_relax();
		else if (likely(!since || cmpxchg(&t->since, since, 0) == since))
			return since;
	}
}

/* Return a random number for the wait of the entry's thread that began at @since, the same at each
 * call: the result of splitmix64 for the wait. */
static inline u64 oprofile_offcpu_thread_random(const struct oprofile_offcpu_threads *t,
						const struct oprofile_offcpu_thread *thread,
						u64 since)
{
	u64 z = t->secret + since + (unsigned long)thread * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* If the entry's thread waits, lock the entry and return the time at which the wait began;
 * otherwise return 0. If the entry is locked, wait for the unlock. The thread does not run while
 * its entry is locked. Called with interrupts off. */
static inline u64 oprofile_offcpu_thread_lock(struct oprofile_offcpu_thread *t)
{
	for (;;) {
		u64 since = READ_ONCE(t->since);

		if (unlikely(since & OPROFILE_OFFCPU_LOCKED))
			cpu_relax();
		else if (!since ||
			 cmpxchg(&t->since, since, since | OPROFILE_OFFCPU_LOCKED) == since)
			return since;
	}
}

/* Unlock the entry, and set the time at which the thread's wait began to @since. */
static inline void oprofile_offcpu_thread_unlock(struct oprofile_offcpu_thread *t, u64 since)
{
	smp_store_release(&t->since, since);
}

/* Return the number of entries of the table, including free entries. */
static inline size_t oprofile_offcpu_threads_room(const struct oprofile_offcpu_threads *t)
{
	return (size_t)OPROFILE_OFFCPU_WAYS << t->bits;
}

/* Return the entry @nr, which is less than oprofile_offcpu_threads_room(). */
static inline struct oprofile_offcpu_thread *
oprofile_offcpu_thread_at(const struct oprofile_offcpu_threads *t, size_t nr)
{
	return &t->bucket[nr / OPROFILE_OFFCPU_WAYS][nr % OPROFILE_OFFCPU_WAYS];
}

typedef void (*oprofile_offcpu_thread_fn)(void *arg, const struct oprofile_offcpu_thread *thread);
/* Call @fn(@arg, entry) for each entry. No CPU may use the table. */
void oprofile_offcpu_threads_each(const struct oprofile_offcpu_threads *t,
				  oprofile_offcpu_thread_fn fn, void *arg);

#endif
