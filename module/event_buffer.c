// SPDX-License-Identifier: GPL-2.0
/*
 * event_buffer.c -- the stream and the `buffer` file.
 */
#include "event_buffer.h"

#include <linux/capability.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "session.h"
#include "uapi/oprofile.h"

void oprofile_event_buffer_init(struct oprofile_event_buffer *b)
{
	mutex_init(&b->read_lock);
	init_waitqueue_head(&b->readers);
	init_waitqueue_head(&b->room);
}

int oprofile_event_buffer_alloc(struct oprofile_event_buffer *b, unsigned long size,
				unsigned long watershed)
{
	if (watershed >= size)
		return -EINVAL;
	b->words = vzalloc(array_size(size, sizeof(*b->words)));
	if (!b->words)
		return -ENOMEM;
	b->size = size;
	b->watershed = watershed;
	b->ready = false;
	return 0;
}

void oprofile_event_buffer_release(struct oprofile_event_buffer *b)
{
	vfree(b->words);
	b->words = NULL;
	b->size = 0;
	b->head++;		/* a dump that waits for the tail to move sees that it has */
	WRITE_ONCE(b->tail, b->head);
}

int oprofile_event_buffer_put(struct oprofile_event_buffer *b, const unsigned long *words,
			      size_t nr)
{
	u64 used = b->head - smp_load_acquire(&b->tail);
	u64 at, i;

	if (b->size - used < nr)
		return -ENOSPC;
	div64_u64_rem(b->head, b->size, &at);
	for (i = 0; i < nr; i++) {
		b->words[at] = words[i];
		if (++at == b->size)
			at = 0;
	}
	smp_store_release(&b->head, b->head + nr);
	if (used + nr >= b->size - b->watershed && !READ_ONCE(b->ready))
		oprofile_event_buffer_flush(b);
	return 0;
}

void oprofile_event_buffer_flush(struct oprofile_event_buffer *b)
{
	if (!oprofile_event_buffer_used(b))
		return;
	smp_store_release(&b->ready, true);
	wake_up_interruptible(&b->readers);
}

static unsigned long word_at(const struct oprofile_event_buffer *b, u64 position)
{
	u64 at;

	div64_u64_rem(position, b->size, &at);
	return b->words[at];
}

/* Words of the record at @position, before @head; a count and its sample are one record. 0: there is
 * no whole record. */
static u64 record_length(const struct oprofile_event_buffer *b, u64 position, u64 head)
{
	u64 length = 2, left = head - position;
	unsigned long code;
	int operands;

	if (left >= 2 && word_at(b, position) == OPROFILE_ESCAPE) {
		code = word_at(b, position + 1);
		operands = oprofile_operands(code);
		if (operands < 0)
			return 0;
		length += operands;
		if (code == OPROFILE_COUNT)
			length += 2;
	}
	return length <= left ? length : 0;
}

/* As many words as whole records between tail and @head take, at most @max. */
static u64 whole_records(const struct oprofile_event_buffer *b, u64 head, u64 max)
{
	u64 at = b->tail, length;

	if (head - at <= max)	/* the writer writes whole records */
		return head - at;
	while (at < head) {
		length = record_length(b, at, head);
		if (WARN_ON_ONCE(!length) || at + length - b->tail > max)
			break;
		at += length;
	}
	return at - b->tail;
}

static int copy_words(const struct oprofile_event_buffer *b, unsigned long __user *to, u64 nr)
{
	u64 at, first;

	div64_u64_rem(b->tail, b->size, &at);
	first = min(nr, b->size - at);
	if (copy_to_user(to, b->words + at, first * sizeof(*to)) ||
	    copy_to_user(to + first, b->words, (nr - first) * sizeof(*to)))
		return -EFAULT;
	return 0;
}

static ssize_t take_records(struct oprofile_event_buffer *b, unsigned long __user *to, u64 max)
{
	u64 head, nr;
	int err;

	/* First ready, then head: a flush that comes after either is not forgotten. */
	WRITE_ONCE(b->ready, false);
	smp_mb();
	head = smp_load_acquire(&b->head);
	if (head == b->tail)
		return -EAGAIN;
	nr = whole_records(b, head, max);
	if (!nr) {
		WRITE_ONCE(b->ready, true);
		return -EINVAL;
	}
	err = copy_words(b, to, nr);
	if (err) {
		WRITE_ONCE(b->ready, true);
		return err;
	}
	smp_store_release(&b->tail, b->tail + nr);
	if (b->tail != head)
		WRITE_ONCE(b->ready, true);
	return nr * sizeof(*to);
}

static ssize_t event_buffer_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct oprofile_session *s = file->private_data;
	struct oprofile_event_buffer *b = &s->events;
	ssize_t ret;

	if (!count)
		return 0;
	do {
		if (!(file->f_flags & O_NONBLOCK)) {
			ret = wait_event_interruptible(b->readers, READ_ONCE(b->ready));
			if (ret)
				return ret;
		}
		ret = mutex_lock_interruptible(&b->read_lock);
		if (ret)
			return ret;
		ret = take_records(b, (unsigned long __user *)buf, count / sizeof(unsigned long));
		mutex_unlock(&b->read_lock);
	} while (ret == -EAGAIN && !(file->f_flags & O_NONBLOCK));

	if (ret > 0) {
		smp_mb();	/* tail before backlog; pairs with the drain that found no room */
		if (READ_ONCE(s->sync.backlog))
			oprofile_sync_kick(&s->sync, true);
		wake_up_interruptible(&b->room);
	}
	return ret;
}

static __poll_t event_buffer_poll(struct file *file, poll_table *wait)
{
	struct oprofile_session *s = file->private_data;

	poll_wait(file, &s->events.readers, wait);
	return READ_ONCE(s->events.ready) ? EPOLLIN | EPOLLRDNORM : 0;
}

static long event_buffer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct oprofile_session *s = file->private_data;

	if (cmd != OPROFILE_IOC_COOKIE)
		return -ENOTTY;
	return oprofile_cookie_ioctl(&s->cookies, (void __user *)arg);
}

static int event_buffer_open(struct inode *inode, struct file *file)
{
	struct oprofile_session *s = inode->i_private;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	err = security_locked_down(LOCKDOWN_PERF);
	if (err)
		return err;
	err = oprofile_session_setup(s);
	if (err)
		return err;
	file->private_data = s;
	return stream_open(inode, file);
}

static int event_buffer_close(struct inode *inode, struct file *file)
{
	oprofile_session_shutdown(file->private_data);
	return 0;
}

const struct file_operations oprofile_event_buffer_fops = {
	.owner = THIS_MODULE,
	.open = event_buffer_open,
	.release = event_buffer_close,
	.read = event_buffer_read,
	.poll = event_buffer_poll,
	.unlocked_ioctl = event_buffer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
