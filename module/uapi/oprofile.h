/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/oprofile.h -- what the kernel module tells user space.
 *
 * The `buffer` file is a stream of native-endian unsigned longs. A word that is not
 * OPROFILE_ESCAPE begins a sample: { offset, event }. OPROFILE_ESCAPE is followed by one of the
 * codes below and that code's operands. doc/event-buffer.md tells the whole story.
 */
#ifndef OPROFILE_UAPI_H
#define OPROFILE_UAPI_H

#include <linux/types.h>

#define OPROFILE_ESCAPE		(~0UL)
#define OPROFILE_NO_COOKIE	0UL	/* no file behind this: anonymous memory, kernel thread */
#define OPROFILE_INVALID_COOKIE	(~0UL)

/* Classic codes. */
#define OPROFILE_CTX_SWITCH	1	/* tid, app cookie, ESCAPE, OPROFILE_CTX_TGID, tgid */
#define OPROFILE_CPU_SWITCH	2	/* cpu */
#define OPROFILE_COOKIE_SWITCH	3	/* cookie of the file that following user samples are in */
#define OPROFILE_KERNEL_ENTER	4	/* following samples are kernel addresses */
#define OPROFILE_KERNEL_EXIT	5	/* following samples are user offsets */
#define OPROFILE_MODULE_LOADED	6	/* /proc/modules has changed (a module came or went) */
#define OPROFILE_CTX_TGID	7	/* only inside OPROFILE_CTX_SWITCH */
#define OPROFILE_TRACE_BEGIN	8	/* next sample is a leaf, those after it its callers */
#define OPROFILE_IBS_FETCH	13	/* where, OPROFILE_IBS_FETCH_WORDS words */
#define OPROFILE_IBS_OP		14	/* where, OPROFILE_IBS_OP_WORDS words */
#define OPROFILE_IBS_FETCH_WORDS	6
#define OPROFILE_IBS_OP_WORDS		12

/* Ours. */
#define OPROFILE_COUNT		16	/* n: the next sample stands for n interrupts, n >= 1 */
#define OPROFILE_ANON_RANGE	17	/* start, end, kind: the mapping of the following samples
					 * with OPROFILE_NO_COOKIE; their offset is an address */

/* Kinds of anonymous mapping. */
#define OPROFILE_ANON_PLAIN	0
#define OPROFILE_ANON_HEAP	1
#define OPROFILE_ANON_STACK	2
#define OPROFILE_ANON_VDSO	3

/*
 * Cookie lookup, an ioctl on the open `buffer` file. Give cookie, path (user pointer) and
 * path_size; get back the identity of the file at the time it was first seen, and the path with
 * its terminating NUL, " (deleted)" appended as d_path() does. path_len is the length that was
 * needed, NUL included. Errors: ENOENT no such cookie, ENAMETOOLONG path_size too small (path_len
 * tells), EFAULT. Cookies stay valid until `buffer` is closed.
 */
struct oprofile_cookie_info {
	__u64 cookie;
	__u64 path;
	__u32 path_size;
	__u32 path_len;
	__u64 dev;		/* new_encode_dev() of the superblock's device */
	__u64 ino;
	__u64 mtime_sec;
	__u32 mtime_nsec;
	__u32 pad;
};

#define OPROFILE_IOC_COOKIE	_IOWR('o', 1, struct oprofile_cookie_info)

#endif
