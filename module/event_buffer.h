/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_buffer.h -- the stream of words between buffer_sync.c and the reader of `buffer`.
 *
 * One writer (under sync.lock), one reader (under read_lock), no lock between them. Records are
 * written whole or not at all and read whole.
 */
#ifndef OPROFILE_EVENT_BUFFER_H
#define OPROFILE_EVENT_BUFFER_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct oprofile_session;

struct oprofile_event_buffer {
	unsigned long *words;
	u64 size, watershed;		/* in words */
	u64 head;			/* words ever written: the writer's */
	u64 tail;			/* words ever read: the reader's */
	bool ready;			/* worth waking the reader */
	struct mutex read_lock;
	wait_queue_head_t readers;
	wait_queue_head_t room;		/* for a dump that found no room */
};

void oprofile_event_buffer_init(struct oprofile_event_buffer *b);
int oprofile_event_buffer_alloc(struct oprofile_event_buffer *b, unsigned long size,
				unsigned long watershed);
void oprofile_event_buffer_release(struct oprofile_event_buffer *b);

/* All @nr words, or ENOSPC and none of them. sync.lock held. */
int oprofile_event_buffer_put(struct oprofile_event_buffer *b, const unsigned long *words,
			      size_t nr);

/* Lets the reader have what is there, however little. */
void oprofile_event_buffer_flush(struct oprofile_event_buffer *b);

static inline u64 oprofile_event_buffer_used(const struct oprofile_event_buffer *b)
{
	return READ_ONCE(b->head) - READ_ONCE(b->tail);
}

extern const struct file_operations oprofile_event_buffer_fops;

#endif
