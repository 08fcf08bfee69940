// SPDX-License-Identifier: GPL-2.0
/* offcpu/threads.c -- table of the threads that have left a CPU. */
#include "offcpu/threads.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

int oprofile_offcpu_threads_alloc(struct oprofile_offcpu_threads *t, unsigned long nr)
{
	/* twice the entries: with two buckets for each thread, the first thread is refused when
	 * about 55 % of the entries are used */
	t->bits = ilog2(max(2 * nr / OPROFILE_OFFCPU_WAYS, 4UL));
	t->shift = 64 - t->bits;
	t->share_max = nr / 2;
	memset(t->used, 0, sizeof(t->used));
	t->bucket = vzalloc(sizeof(*t->bucket) << t->bits);
	return t->bucket ? 0 : -ENOMEM;
}

void oprofile_offcpu_threads_free(struct oprofile_offcpu_threads *t)
{
	vfree(t->bucket);
	t->bucket = NULL;
}

/* Return the first or second bucket of the thread. */
static struct oprofile_offcpu_thread *bucket_of(const struct oprofile_offcpu_threads *t,
						const void *task, bool second)
{
	size_t first = oprofile_offcpu_bucket_of(t, task);

	return t->bucket[second ? first ^ (hash_32(hash_ptr(task, 32), t->bits - 1) + 1) : first];
}

struct oprofile_offcpu_thread *oprofile_offcpu_thread_find(const struct oprofile_offcpu_threads *t,
							   const void *task)
{
	struct oprofile_offcpu_thread *bucket;
	int i, second;

	for (second = 0; second < 2; second++) {
		bucket = bucket_of(t, task, second);
		for (i = 0; i < OPROFILE_OFFCPU_WAYS; i++) {
			if (READ_ONCE(bucket[i].task) == task)
				return &bucket[i];
		}
	}
	return NULL;
}

/* Claim a free entry of the bucket. Return NULL if no entry is free. */
static struct oprofile_offcpu_thread *claim(struct oprofile_offcpu_thread *bucket, const void *task)
{
	int i;

	for (i = 0; i < OPROFILE_OFFCPU_WAYS; i++) {
		if (!READ_ONCE(bucket[i].task) && !cmpxchg(&bucket[i].task, NULL, task))
			return &bucket[i];
	}
	return NULL;
}

static int count_free(const struct oprofile_offcpu_thread *bucket)
{
	int i, n = 0;

	for (i = 0; i < OPROFILE_OFFCPU_WAYS; i++)
		n += !READ_ONCE(bucket[i].task);
	return n;
}

/* Claim an entry in either bucket of the thread. Return NULL if both are full. */
static struct oprofile_offcpu_thread *claim_any(const struct oprofile_offcpu_threads *t,
						const void *task)
{
	struct oprofile_offcpu_thread *first = bucket_of(t, task, false);
	struct oprofile_offcpu_thread *second = bucket_of(t, task, true);
	bool swap = count_free(second) > count_free(first);
	struct oprofile_offcpu_thread *e = claim(swap ? second : first, task);

	return e ?: claim(swap ? first : second, task);
}

struct oprofile_offcpu_thread *oprofile_offcpu_thread_add(struct oprofile_offcpu_threads *t,
							  const void *task, u32 share, u64 moment)
{
	struct oprofile_offcpu_thread *e = NULL;

	if (atomic_inc_return(&t->used[share]) <= t->share_max || !share)
		e = claim_any(t, task);
	if (!e) {
		atomic_dec(&t->used[share]);
		return NULL;
	}
	e->since = 0;
	e->account = (struct oprofile_offcpu_account){ .moment = moment };
	e->state = 0;
	e->reason = e->call_reason = 0;
	e->share = share;
	e->program = 0;
	e->lookup = NULL;
	return e;
}

/* The release makes the last values of the entry visible before another thread claims it. While the
 * probe is being attached, a CPU may have missed a switch to the thread, so .since may be set. */
void oprofile_offcpu_thread_free(struct oprofile_offcpu_threads *t,
				 struct oprofile_offcpu_thread *thread)
{
	atomic_dec(&t->used[thread->share]);
	WRITE_ONCE(thread->since, 0);
	smp_store_release(&thread->task, NULL);
}

void oprofile_offcpu_threads_each(const struct oprofile_offcpu_threads *t,
				  oprofile_offcpu_thread_fn fn, void *arg)
{
	size_t i;
	int way;

	for (i = 0; i < (size_t)1 << t->bits; i++) {
		for (way = 0; way < OPROFILE_OFFCPU_WAYS; way++) {
			if (t->bucket[i][way].task)
				fn(arg, &t->bucket[i][way]);
		}
	}
}
