// SPDX-License-Identifier: GPL-2.0
/* buffer_file.c -- operations of the file `buffer`: open, read, poll, ioctl, release. */
#include "control_files.h"

#include <linux/capability.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include "session.h"
#include "uapi/oprofile.h"

static ssize_t buffer_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct oprofile_session *s = file->private_data;
	struct oprofile_ring *r = &s->ring;
	ssize_t ret;

	if (!count)
		return 0;
	do {
		if (!(file->f_flags & O_NONBLOCK)) {
			ret = wait_event_interruptible(r->readers, READ_ONCE(r->ready));
			if (ret)
				return ret;
		}
		ret = mutex_lock_interruptible(&r->read_lock);
		if (ret)
			return ret;
		ret = oprofile_ring_read(r, (unsigned long __user *)buf,
					 count / sizeof(unsigned long));
		mutex_unlock(&r->read_lock);
	} while (ret == -EAGAIN && !(file->f_flags & O_NONBLOCK));

	if (ret > 0) {
		oprofile_drain_resume(&s->drain);
		wake_up_interruptible(&r->room);
	}
	return ret;
}

static __poll_t buffer_poll(struct file *file, poll_table *wait)
{
	struct oprofile_session *s = file->private_data;

	poll_wait(file, &s->ring.readers, wait);
	return READ_ONCE(s->ring.ready) ? EPOLLIN | EPOLLRDNORM : 0;
}

static long buffer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct oprofile_session *s = file->private_data;

	switch (cmd) {
	case OPROFILE_IOC_COOKIE:
		return oprofile_cookie_ioctl(&s->sampling.identity.cookies, (void __user *)arg);
	case OPROFILE_IOC_TABLE:
		return oprofile_paths_ioctl(&s->paths, &s->sampling.identity.cookies,
					    (void __user *)arg);
	}
	return -ENOTTY;
}

static int buffer_open(struct inode *inode, struct file *file)
{
	struct oprofile_session *s = inode->i_private;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	if (!current->mm)
		/* Refuse a kernel thread, such as a file server's: the kprobes are tested by a
		 * mapping in the opener's user memory, and a kernel thread has no user memory. */
		return -EINVAL;
	err = security_locked_down(LOCKDOWN_PERF);
	if (err)
		return err;
	err = oprofile_session_setup(s);
	if (err)
		return err;
	file->private_data = s;
	return stream_open(inode, file);
}

static int buffer_close(struct inode *inode, struct file *file)
{
	oprofile_session_shutdown(file->private_data);
	return 0;
}

const struct file_operations oprofile_buffer_fops = {
	.owner = THIS_MODULE,
	.open = buffer_open,
	.release = buffer_close,
	.read = buffer_read,
	.poll = buffer_poll,
	.unlocked_ioctl = buffer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
