/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/oprofile.h -- the interface of the kernel module: the stream of the file `buffer`, and its
 * ioctls.
 *
 * The stream consists of native-endian unsigned longs. A word that is not OPROFILE_ESCAPE begins a
 * sample: { offset, event }. OPROFILE_ESCAPE is followed by one of the codes below and its
 * operands. doc/event-buffer.md describes the stream.
 */
#ifndef OPROFILE_UAPI_H
#define OPROFILE_UAPI_H

#include <linux/types.h>

#define OPROFILE_ESCAPE		(~0UL)
/* cookie that stands for no file: anonymous memory or a kernel thread */
#define OPROFILE_NO_COOKIE	0UL
#define OPROFILE_INVALID_COOKIE	(~0UL)

/*
 * The codes of the stream: name, number, and number of operands. The writer and the reader use this
 * table. Operands are not interpreted as codes, and no operand except one of CTX_SWITCH equals
 * ESCAPE. So an unexpected ESCAPE shows the reader that words are missing.
 *
 * Numbers up to 15 are those of OProfile's original module; the others are new.
 */
#define OPROFILE_CODES(X)							\
	X(CTX_SWITCH, 1, 5)	/* tid, app cookie, ESCAPE, OPROFILE_CTX_TGID, tgid */ \
	X(CPU_SWITCH, 2, 1)	/* cpu */					\
	X(COOKIE_SWITCH, 3, 1)	/* operand: cookie of the file of the following user samples */ \
	X(KERNEL_ENTER, 4, 0)	/* the following samples have kernel addresses */	\
	X(KERNEL_EXIT, 5, 0)	/* the following samples have offsets in user files */	\
	X(MODULE_LOADED, 6, 0)	/* /proc/modules has changed: a module was loaded or unloaded */ \
	X(TRACE_BEGIN, 8, 0)	/* next sample: an address; samples after it: its callers */ \
	X(IBS_FETCH, 13, 1 + OPROFILE_IBS_FETCH_WORDS)	/* offset, then halves of registers */ \
	X(IBS_OP, 14, 1 + OPROFILE_IBS_OP_WORDS)	/* offset, then halves of registers */ \
	X(COUNT, 16, 1)		/* operand n >= 1: the next sample stands for n interrupts */ \
	X(ANON_RANGE, 17, 3)	/* start, end, kind: the mapping of the following samples with	\
				 * OPROFILE_NO_COOKIE; offsets of these samples are addresses */ \
	X(GUEST_ENTER, 18, 0)	/* following samples are of a virtual machine that the task runs; \
				 * their offset is 0 */			\
	X(PATH, 19, 2)		/* user node, kernel node: call path of the next sample */ \
	X(PATH_NODE, 20, 5)	/* number, caller's number, image, method, offset: a frame */ \
	X(PATH_IMAGE, 21, 6)	/* number, cookie, start, end, kind, tgid: an image of frames */ \
	X(PATHS_ANEW, 22, 0)	/* earlier numbers of nodes and images are invalid from here on */ \
	X(TABLE_WANTED, 23, 1)	/* cookie of a file whose unwind table is needed: OPROFILE_IOC_TABLE */ \
	X(TASK_NAME, 24, 2 + OPROFILE_NAME_WORDS) \
				/* operands: tid of the last CTX_SWITCH, time, and the name of this
				 * task */						\
	X(CGROUP, 25, 1)	/* id of the control group of the tasks of the following samples; \
				 * 0: unknown */						\
	X(WOKEN, 26, 4)		/* offset, event, count, cookie: a sample of the task or interrupt \
				 * that ended a wait of the program with this cookie; NO_COOKIE: a \
				 * thread of the kernel waited */	\
	X(FOREIGN_FILE, 27, 2)	/* cookie, tgid: a process that has mapped a file which the reader \
				 * does not see under its name */

/* size of a task's name in bytes, with at least one NUL after the name */
#define OPROFILE_NAME_SIZE		16
#define OPROFILE_NAME_WORDS		(OPROFILE_NAME_SIZE / sizeof(long))
#define OPROFILE_IBS_FETCH_WORDS	6
#define OPROFILE_IBS_OP_WORDS		12
#define OPROFILE_CTX_TGID		7	/* occurs only inside a CTX_SWITCH record */

enum oprofile_code {
#define X(name, number, operands) OPROFILE_##name = number,
	OPROFILE_CODES(X)
#undef X
};

/* Number of words of a whole record, including ESCAPE and code. */
enum oprofile_length {
#define X(name, number, operands) OPROFILE_##name##_LENGTH = 2 + (operands),
	OPROFILE_CODES(X)
#undef X
	OPROFILE_SAMPLE_LENGTH = 2,
};

/* Return the number of operands of @code; -1: unknown code. */
static inline int oprofile_operands(unsigned long code)
{
	switch (code) {
#define X(name, number, operands) case number: return operands;
	OPROFILE_CODES(X)
#undef X
	}
	return -1;
}

/* The highest offset in a file. */
#define OPROFILE_MAX_OFFSET	(~0UL >> 1)

/* Kinds of anonymous memory. */
#define OPROFILE_ANON_PLAIN	0
#define OPROFILE_ANON_HEAP	1
#define OPROFILE_ANON_STACK	2
#define OPROFILE_ANON_VDSO	3

/*
 * Cookie lookup, an ioctl on the open `buffer` file. The caller sets cookie, path (user pointer),
 * path_size and flags. The ioctl returns the identity of the file when it was first sampled, and
 * its path with a NUL; d_path() appends " (deleted)" to the path of a deleted file. path_len is the
 * needed size including the NUL. Errors: ENOENT: no such cookie; ENAMETOOLONG: path_size is smaller
 * than path_len; EFAULT. Cookies are valid until `buffer` is closed.
 *
 * A foreign path was seen by a task with another root directory, or in another mount namespace,
 * than the process that opened `buffer`. With OPROFILE_COOKIE_INNER the ioctl returns the file's
 * path in its file system instead, which is valid below a mount of fs_dev.
 */
struct oprofile_cookie_info {
	__u64 cookie;
	__u64 path;
	__u32 path_size;
	__u32 path_len;
	/* device of the file as stat() reports it, in the format of new_encode_dev() */
	__u64 dev;
	__u64 ino;
	__u64 mtime_sec;
	__u32 mtime_nsec;
	__u32 flags;
	__u64 fs_dev;		/* device number of the file system, as in /proc/PID/mountinfo */
};

/* flag that the caller sets: return the path in the file system */
#define OPROFILE_COOKIE_INNER	1
#define OPROFILE_COOKIE_FOREIGN	2	/* flag that the ioctl sets: the path is foreign */

#define OPROFILE_IOC_COOKIE	_IOWR('o', 1, struct oprofile_cookie_info)

/*
 * Pass an unwind table (unwind.h) to the module, by an ioctl on the open `buffer` file. The table
 * belongs to the file of the cookie; with OPROFILE_NO_COOKIE to the file that is open as fd, under
 * any of its names; or to a vDSO, whose offsets count from its start. The module copies and checks
 * the whole table, which replaces an earlier table of the same file.
 *
 * Size 0: the file has no table, and paths that reach the file end for the reason `end`: NO_ROW
 * (after the module has tried frame pointers), NO_FILE or TABLE_SIZE.
 *
 * Errors: EINVAL, with the defect in fault; E2BIG: the table is larger than `unwind_tables_max`, or
 * than a quarter of that if the file is not root's, so paths end in that file; ENOENT: no such
 * cookie; EBADF; EFAULT; ENOMEM; ENOSPC: too many tables.
 */
struct oprofile_unwind_table {
	__u64 cookie;
	__s32 fd;
	__u32 flags;
	__u64 table;		/* address of the table in the caller's memory */
	__u64 size;
	__u32 fault;		/* result: enum oprofile_uw_fault; 0: the table is valid */
	/* reason for the end of paths, enum oprofile_uw_end; 0 if a table is passed */
	__u32 end;
};

/* the table belongs to the vDSO; cookie and fd are ignored */
#define OPROFILE_TABLE_VDSO	1
#define OPROFILE_TABLE_VDSO32	2	/* the table belongs to x86_64's vDSO for 32-bit programs */

#define OPROFILE_IOC_TABLE	_IOWR('o', 2, struct oprofile_unwind_table)

#endif
