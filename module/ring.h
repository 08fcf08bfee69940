/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.h -- the ring buffer between the drain and the reader of `buffer`.
 *
 * The ring has one writer, under drain.lock, and one reader, under read_lock; the two run
 * concurrently. Only whole records are written and read.
 */
#ifndef OPROFILE_RING_H
#define OPROFILE_RING_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct oprofile_ring {
	unsigned long *words;
	/* .size: size of the ring in words; .watershed: wake the reader when at most this many
	 * words are free */
	u64 size, watershed;
	/* number of words written; changed only by the writer */
	u64 head;
	u64 tail;			/* number of words read; changed only by the reader */
	bool ready;			/* whether the reader should read the ring now */
	struct mutex read_lock;
	wait_queue_head_t readers;
	wait_queue_head_t room;		/* wait queue of dumps that wait until the ring has room */
};

void oprofile_ring_init(struct oprofile_ring *r);
int oprofile_ring_alloc(struct oprofile_ring *r, unsigned long size,
			unsigned long watershed);
void oprofile_ring_release(struct oprofile_ring *r);

/* Write all @nr words and return 0. If the ring has no room, write nothing and return -ENOSPC.
 * drain.lock is held. */
int oprofile_ring_put(struct oprofile_ring *r, const unsigned long *words, size_t nr);

/* Wake the reader even if the ring has only few records. */
void oprofile_ring_flush(struct oprofile_ring *r);

static inline u64 oprofile_ring_used(const struct oprofile_ring *r)
{
	return READ_ONCE(r->head) - READ_ONCE(r->tail);
}

/*
 * Read as many whole records as fit into @max words. Return the number of bytes; -EAGAIN: the ring
 * is empty; -EINVAL: the next record is longer than @max; or -EFAULT. read_lock is held.
 */
ssize_t oprofile_ring_read(struct oprofile_ring *r, unsigned long __user *to, u64 max);

#endif
