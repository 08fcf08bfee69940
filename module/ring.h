/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.h -- the words of the stream, between the drain and the reader of `buffer`.
 *
 * One writer (under drain.lock), one reader (under read_lock), no lock between them. Records are
 * written whole or not at all and read whole.
 */
#ifndef OPROFILE_RING_H
#define OPROFILE_RING_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct oprofile_ring {
	unsigned long *words;
	u64 size, watershed;		/* in words */
	u64 head;			/* words ever written: the writer's */
	u64 tail;			/* words ever read: the reader's */
	bool ready;			/* worth waking the reader */
	struct mutex read_lock;
	wait_queue_head_t readers;
	wait_queue_head_t room;		/* for a dump that found no room */
};

void oprofile_ring_init(struct oprofile_ring *r);
int oprofile_ring_alloc(struct oprofile_ring *r, unsigned long size,
			unsigned long watershed);
void oprofile_ring_release(struct oprofile_ring *r);

/* All @nr words, or ENOSPC and none of them. drain.lock held. */
int oprofile_ring_put(struct oprofile_ring *r, const unsigned long *words, size_t nr);

/* Lets the reader have what is there, however little. */
void oprofile_ring_flush(struct oprofile_ring *r);

static inline u64 oprofile_ring_used(const struct oprofile_ring *r)
{
	return READ_ONCE(r->head) - READ_ONCE(r->tail);
}

/*
 * Takes words of whole records, at most @max. How many bytes; EAGAIN: there are none; EINVAL: the next
 * record is longer; EFAULT. read_lock held.
 */
ssize_t oprofile_ring_take(struct oprofile_ring *r, unsigned long __user *to, u64 max);

#endif
