// SPDX-License-Identifier: GPL-2.0
/* offcpu/threads.c -- table of the threads that have left a CPU. */
#include "offcpu/threads.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/vmalloc.h>

int oprofile_offcpu_threads_alloc(struct oprofile_offcpu_threads *t, unsigned long nr)
{
	t->bits = ilog2(max(nr / OPROFILE_OFFCPU_WAYS, 2UL));
	t->bucket = vzalloc(sizeof(*t->bucket) << t->bits);
	return t->bucket ? 0 : -ENOMEM;
}

void oprofile_offcpu_threads_free(struct oprofile_offcpu_threads *t)
{
	vfree(t->bucket);
	t->bucket = NULL;
}

static struct oprofile_offcpu_thread *bucket_of(const struct oprofile_offcpu_threads *t,
						const void *task)
{
	return t->bucket[hash_ptr(task, t->bits)];
}

struct oprofile_offcpu_thread *oprofile_offcpu_thread_find(const struct oprofile_offcpu_threads *t,
							   const void *task, u64 start_time)
{
	struct oprofile_offcpu_thread *bucket = bucket_of(t, task);
	int i;

	for (i = 0; i < OPROFILE_OFFCPU_WAYS; i++) {
		if (READ_ONCE(bucket[i].task) == task && bucket[i].start_time == start_time)
			return &bucket[i];
	}
	return NULL;
}

struct oprofile_offcpu_thread *oprofile_offcpu_thread_add(struct oprofile_offcpu_threads *t,
							  const void *task, u64 start_time,
							  u64 moment)
{
	struct oprofile_offcpu_thread *bucket = bucket_of(t, task);
	int i;

	for (i = 0; i < OPROFILE_OFFCPU_WAYS; i++) {
		struct oprofile_offcpu_thread *e = &bucket[i];

		if (READ_ONCE(e->task) || cmpxchg(&e->task, NULL, task))
			continue;
		e->start_time = start_time;
		e->since = 0;
		e->account = (struct oprofile_offcpu_account){ .moment = moment };
		e->reason = 0;
		return e;
	}
	return NULL;
}

/* The release makes the last values of the entry visible before another thread claims it. */
void oprofile_offcpu_thread_free(struct oprofile_offcpu_thread *thread)
{
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
