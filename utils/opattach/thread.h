/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h -- stopping one thread of another process for a moment. The thread is seized by
 * PTRACE_SEIZE, which sends no signal. If opattach is killed, the kernel lets the thread continue.
 */
#ifndef UTILS_OPATTACH_THREAD_H
#define UTILS_OPATTACH_THREAD_H

#include <signal.h>

#include "utils/opattach/arch/arch.h"
#include "utils/opattach/target.h"

#define ATTACH_SYSCALL_STOP	(SIGTRAP | 0x80)	/* WSTOPSIG() of a stop at a system call */
#define ATTACH_STOP_MS	20000	/* deadline by which any thread that can stop has stopped */

/* Return the deadline for a thread that is asked to stop now. */
uint64_t attach_stop_end_ns(const struct attach_target *t);

struct attach_thread {
	pid_t tid;			/* 0: no thread */
	bool is_stopped;
	/* opattach's usual priority, saved while the thread is stopped */
	int nice;
	struct attach_regs regs;	/* registers at the stop */
};

/* Stop thread @tid. Return 0, or with text -ESRCH if it has ended or runs another program,
 * -ETIME if it sleeps uninterruptibly, or another negative errno. */
int attach_thread_stop(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
		       struct op_reason *error);

/* Stop a thread in two steps, for many threads at a time: ask it to stop, and check whether it has.
 * The latter returns -EAGAIN if it has not yet. */
int attach_thread_stop_begin(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
			     struct op_reason *error);
int attach_thread_stop_poll(struct attach_thread *thread, const struct attach_target *t,
			    struct op_reason *error);

/*
 * Let the thread go on and release it. A thread that has not stopped yet is released after its
 * stop, by attach_threads_release().
 */
void attach_thread_release(struct attach_thread *thread);

/* Release the threads that attach_thread_release() could not release because they had not stopped,
 * and that have stopped since. A long-running caller calls this from time to time. */
void attach_threads_release(void);

/* Let a stopped thread continue up to its next stop, by ptrace(2)'s @request. Return 0 or a
 * negative errno. */
int attach_thread_go(struct attach_thread *thread, int request, int sig);

/* Stop a running thread at any place. Return 0 or a negative errno. */
int attach_thread_interrupt(struct attach_thread *thread);

/* Return whether a wait(2) status is the stop of an exec, after which nothing may be done to the
 * new program. */
bool attach_thread_has_execed(int status);

/* Return the signal to pass to the thread after the stop @status, or 0 if it did not stop for a
 * signal. */
int attach_thread_signal(int status);

/* Get the next stop: *@status is as in wait(2). Return 0, -ESRCH if the thread has ended, or
 * -EAGAIN if it has not stopped yet. */
int attach_thread_next(struct attach_thread *thread, int *status);

/* Pause with a growing interval: most events come at once. *@pause starts as 0. */
void attach_pause(long *pause);

#endif
