/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h -- stops and continues a thread of another process.
 *
 * A thread is traced by PTRACE_SEIZE, which sends no signal. If opattach is killed, the kernel
 * continues the thread.
 */
#ifndef UTILS_OPATTACH_THREAD_H
#define UTILS_OPATTACH_THREAD_H

#include <signal.h>

#include "utils/opattach/arch/arch.h"
#include "utils/opattach/target.h"

/* WSTOPSIG() of a stop at the start or end of a system call */
#define ATTACH_SYSCALL_STOP	(SIGTRAP | 0x80)
/* maximum time to wait for a thread to stop, in milliseconds */
#define ATTACH_STOP_MS	20000

/* Return the deadline for a thread that is asked to stop now, by op_now_ns(). */
uint64_t attach_stop_end_ns(const struct attach_target *t);

struct attach_thread {
	pid_t tid;			/* id of the traced thread; 0: none */
	bool is_stopped;
	/* opattach's nice value before it raised its priority for this thread */
	int nice;
	struct attach_regs regs;	/* registers of the stopped thread */
};

/* Stop thread @tid. Return 0; or, with a message in @error, -ESRCH if it has ended or executes
 * another program, -ETIME if it is in uninterruptible sleep, or another negative errno. */
int attach_thread_stop(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
		       struct op_reason *error);

/* Stop a thread in two steps, so that many threads can be stopped at the same time:
 * attach_thread_stop_begin() asks the thread to stop, and attach_thread_stop_poll() checks whether
 * it has stopped, and returns -EAGAIN if it has not. Apart from this, both functions return the
 * same values as attach_thread_stop(). */
int attach_thread_stop_begin(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
			     struct op_reason *error);
int attach_thread_stop_poll(struct attach_thread *thread, const struct attach_target *t,
			    struct op_reason *error);

/*
 * Continue the thread and stop tracing it. If the thread has not stopped yet,
 * attach_threads_release() releases it later.
 */
void attach_thread_release(struct attach_thread *thread);

/* Release the threads that attach_thread_release() could not release, if they have stopped in the
 * meantime. A caller that runs for a long time must call this repeatedly. */
void attach_threads_release(void);

/* Continue a stopped thread until its next stop, by the ptrace(2) request @request, with the signal
 * @sig (0: none). Return 0 or a negative errno. */
int attach_thread_resume(struct attach_thread *thread, int request, int sig);

/* Ask a running thread to stop. Return 0 or a negative errno. */
int attach_thread_interrupt(struct attach_thread *thread);

/* Return whether @status, a status from wait(2), is a stop at an exec. After such a stop, opattach
 * must not change the new program. */
bool attach_thread_has_execed(int status);

/* If the thread has stopped (@status) to receive a signal, return the signal, with which the thread
 * must be continued. Otherwise return 0. */
int attach_thread_signal(int status);

/* Check whether the thread has stopped again, and store the status of the stop, in the format of
 * wait(2), in *@status. Return 0, -EAGAIN if the thread has not stopped yet, or -ESRCH if it has
 * ended. */
int attach_thread_next(struct attach_thread *thread, int *status);

/* Sleep between two checks for an event. The time grows with each call, because most events come
 * soon. *@pause must be 0 at the first call. */
void attach_pause(long *pause);

#endif
