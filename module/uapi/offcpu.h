/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/offcpu.h -- the reasons for which a thread is off its CPU.
 *
 * The number of a reason is the unit mask of the event OFFCPU, and is part of the names of sample
 * files: numbers never change. The name of a reason is also the name of its file in the folder
 * `offcpu` of oprofilefs.
 */
#ifndef OPROFILE_OFFCPU_UAPI_H
#define OPROFILE_OFFCPU_UAPI_H

#include <linux/types.h>

/* X(identifier, number, name, description) */
#define OPROFILE_OFFCPU_REASONS(X)							\
	X(IO, 1, "io", "Waiting for a disk or a file")					\
	X(LOCK, 2, "lock", "Waiting for a lock: mutex, semop, file lock")		\
	X(SLEEP, 3, "sleep", "Sleeping for a time or until a signal")			\
	X(POLL, 4, "poll", "Waiting for one of several files: poll, select, epoll")	\
	X(NET, 5, "net", "Waiting for a socket")					\
	X(PIPE, 6, "pipe", "Waiting for a pipe")					\
	X(FAULT, 7, "fault", "Waiting in a page fault")					\
	X(RUNQUEUE, 8, "runqueue", "Able to run, but another thread had the CPU")	\
	X(STOPPED, 9, "stopped", "Stopped by a signal, a debugger or the freezer")	\
	X(CHILD, 10, "child", "Waiting for the end of a child process")			\
	X(OTHER, 11, "other", "Waiting for another reason")				\
	X(CONDITION, 12, "condition", "Waiting for another thread: condition, work, its end")

enum oprofile_offcpu_reason {
#define X(id, number, name, desc) OPROFILE_OFFCPU_##id = number,
	OPROFILE_OFFCPU_REASONS(X)
#undef X
};

/* largest number of a reason */
#define OPROFILE_OFFCPU_MAX_REASON	OPROFILE_OFFCPU_CONDITION

/* in the files of `offcpu`: number of an event that is not sampled */
#define OPROFILE_OFFCPU_NO_EVENT	255UL

/*
 * Return the reason of a wait in futex(2), from its arguments 2 and 3. The call does not know for
 * which object the thread waits, but libraries differ in the arguments: the GNU C library waits for
 * its mutexes by FUTEX_WAIT, and for conditions, semaphores, read-write locks and the end of
 * threads by FUTEX_WAIT_BITSET. Go and Rust park threads without work by FUTEX_WAIT for 0 and -1,
 * and wait for their mutexes by other values.
 */
static inline unsigned int oprofile_offcpu_reason_of_futex(__u64 op, __u64 value)
{
	enum { WAIT = 0, WAIT_BITSET = 9, WAIT_REQUEUE_PI = 11, FLAGS = 128 | 256 };

	switch ((__u32)op & ~(__u32)FLAGS) {
	case WAIT_BITSET:
	case WAIT_REQUEUE_PI:
		return OPROFILE_OFFCPU_CONDITION;
	case WAIT:
		return !(__u32)value || !~(__u32)value ? OPROFILE_OFFCPU_CONDITION :
							 OPROFILE_OFFCPU_LOCK;
	default:
		return OPROFILE_OFFCPU_LOCK;
	}
}

#endif
