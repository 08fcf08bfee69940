// SPDX-License-Identifier: GPL-2.0
/* ring.c -- writing and reading of whole records of the stream. */
#include "ring.h"

#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "debug.h"
#include "uapi/oprofile.h"

void oprofile_ring_init(struct oprofile_ring *r)
{
	mutex_init(&r->read_lock);
	init_waitqueue_head(&r->readers);
	init_waitqueue_head(&r->room);
}

int oprofile_ring_alloc(struct oprofile_ring *r, unsigned long size,
			unsigned long watershed)
{
	if (watershed >= size)
		return -EINVAL;
	r->words = vzalloc(array_size(size, sizeof(*r->words)));
	if (!r->words)
		return -ENOMEM;
	oprofile_mark_unwritten(r->words, size);
	r->size = size;
	r->watershed = watershed;
	r->ready = false;
	return 0;
}

void oprofile_ring_release(struct oprofile_ring *r)
{
	vfree(r->words);
	r->words = NULL;
	r->size = 0;
	/* change the tail, so that a dump which waits for the reader stops waiting */
	r->head++;
	WRITE_ONCE(r->tail, r->head);
}

int oprofile_ring_put(struct oprofile_ring *r, const unsigned long *words, size_t nr)
{
	u64 used = r->head - smp_load_acquire(&r->tail);
	u64 at, i;

	if (r->size - used < nr)
		return -ENOSPC;
	div64_u64_rem(r->head, r->size, &at);
	for (i = 0; i < nr; i++) {
		r->words[at] = words[i];
		if (++at == r->size)
			at = 0;
	}
	smp_store_release(&r->head, r->head + nr);
	if (used + nr >= r->size - r->watershed && !READ_ONCE(r->ready))
		oprofile_ring_flush(r);
	return 0;
}

void oprofile_ring_flush(struct oprofile_ring *r)
{
	if (!oprofile_ring_used(r))
		return;
	smp_store_release(&r->ready, true);
	wake_up_interruptible(&r->readers);
}

static unsigned long word_at(const struct oprofile_ring *r, u64 position)
{
	u64 at;

	div64_u64_rem(position, r->size, &at);
	return r->words[at];
}

/* Return the length in words of the record at @position, which ends before @head; 0: the record
 * is incomplete. A COUNT record and the sample that follows are one record. */
static u64 record_length(const struct oprofile_ring *r, u64 position, u64 head)
{
	u64 length = OPROFILE_SAMPLE_LENGTH, left = head - position;
	unsigned long code;
	int operands;

	if (left >= 2 && word_at(r, position) == OPROFILE_ESCAPE) {
		code = word_at(r, position + 1);
		operands = oprofile_operands(code);
		if (operands < 0)
			return 0;
		length = 2 + operands;
		if (code == OPROFILE_COUNT)
			length += OPROFILE_SAMPLE_LENGTH;
	}
	return length <= left ? length : 0;
}

/* Return the length in words of the whole records between the tail and @head, but at most @max
 * words. */
static u64 whole_records(const struct oprofile_ring *r, u64 head, u64 max)
{
	u64 at = r->tail, length;

	if (head - at <= max)	/* @head is always the end of a record */
		return head - at;
	while (at < head) {
		length = record_length(r, at, head);
		if (WARN_ON_ONCE(!length) || at + length - r->tail > max)
			break;
		at += length;
	}
	return at - r->tail;
}

static int copy_words(const struct oprofile_ring *r, unsigned long __user *to, u64 nr)
{
	u64 at, first;

	div64_u64_rem(r->tail, r->size, &at);
	first = min(nr, r->size - at);
	if (copy_to_user(to, r->words + at, first * sizeof(*to)) ||
	    copy_to_user(to + first, r->words, (nr - first) * sizeof(*to)))
		return -EFAULT;
	return 0;
}

ssize_t oprofile_ring_read(struct oprofile_ring *r, unsigned long __user *to, u64 max)
{
	u64 head, nr;
	int err;

	/* Clear .ready before reading .head, so that a concurrent flush is not missed. */
	WRITE_ONCE(r->ready, false);
	smp_mb();
	head = smp_load_acquire(&r->head);
	if (head == r->tail)
		return -EAGAIN;
	nr = whole_records(r, head, max);
	if (!nr) {
		WRITE_ONCE(r->ready, true);
		return -EINVAL;
	}
	err = copy_words(r, to, nr);
	if (err) {
		WRITE_ONCE(r->ready, true);
		return err;
	}
	smp_store_release(&r->tail, r->tail + nr);
	if (r->tail != head)
		WRITE_ONCE(r->ready, true);
	return nr * sizeof(*to);
}
