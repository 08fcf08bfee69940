// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c -- stops and continues a thread of another process.
 */
#include "config.h"
#include "utils/opattach/thread.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clock.h"

#define FIRST_PAUSE_NS	20000
#define LAST_PAUSE_NS	1000000
#define FIRST_OF_ALL	-20	/* nice value of the highest priority */

void attach_pause(long *pause)
{
	*pause = !*pause ? FIRST_PAUSE_NS : *pause < LAST_PAUSE_NS ? 2 * *pause : *pause;
	nanosleep(&(struct timespec){ 0, *pause }, NULL);
}

uint64_t attach_stop_end_ns(const struct attach_target *t)
{
	const uint64_t end = op_now_ns() + ATTACH_STOP_MS * 1000000ULL;

	return t->end_ns && t->end_ns < end ? t->end_ns : end;
}

/* Raise opattach's priority, if permitted, while a thread is stopped, so that other processes do
 * not delay the thread. Restore the priority afterwards, because opattach may then wait for a long
 * time. */
static void set_stopped(struct attach_thread *thread, bool is_stopped)
{
	if (is_stopped == thread->is_stopped)
		return;
	thread->is_stopped = is_stopped;
	if (is_stopped)
		thread->nice = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, is_stopped ? FIRST_OF_ALL : thread->nice);
}

bool attach_thread_has_execed(int status)
{
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
}

int attach_thread_signal(int status)
{
	return WSTOPSIG(status) == ATTACH_SYSCALL_STOP || status >> 16 ? 0 : WSTOPSIG(status);
}

int attach_thread_next(struct attach_thread *thread, int *status)
{
	pid_t got = waitpid(thread->tid, status, __WALL | WNOHANG);

	if (got != thread->tid)
		return got < 0 && errno != EINTR ? -ESRCH : -EAGAIN;
	set_stopped(thread, WIFSTOPPED(*status));
	if (!thread->is_stopped)
		thread->tid = 0;
	return thread->is_stopped ? 0 : -ESRCH;
}

int attach_thread_resume(struct attach_thread *thread, int request, int sig)
{
	if (ptrace(request, thread->tid, NULL, (void *)(long)sig))
		return -errno;
	set_stopped(thread, false);
	return 0;
}

int attach_thread_interrupt(struct attach_thread *thread)
{
	return ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) ? -errno : 0;
}

/* Return whether the thread is in uninterruptible sleep, for example in vfork(2) or in a file
 * system. Such a thread cannot be stopped. */
static bool sleeps_deeply(const struct attach_target *t, pid_t tid)
{
	char state[32];

	return attach_target_status(t, tid, "State", state, sizeof(state)) && *state == 'D';
}

int attach_thread_stop_begin(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
			     struct op_reason *error)
{
	*thread = (struct attach_thread){ 0 };
	if (sleeps_deeply(t, tid))
		return op_fail(error, -ETIME,
			       "thread %d sleeps in the kernel and cannot be interrupted",
			       (int)tid);
	/* Do not set PTRACE_O_EXITKILL, because the target must survive opattach. With
	 * PTRACE_O_TRACEEXEC, a thread that calls exec stops before the new program, which may be
	 * set-user-ID, starts. opattach then only releases the thread. */
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC)))
		return attach_target_refused(t, -errno, error);
	thread->tid = tid;
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ? attach_target_refused(t, -errno, error) :
							   0;
}

/* Return whether the stopped thread belongs to the target. Its id may have been reused after the
 * threads were listed, but the id of a stopped thread is not reused any more. */
static bool is_of(const struct attach_thread *thread, const struct attach_target *t)
{
	char path[32];

	snprintf(path, sizeof(path), "task/%d", (int)thread->tid);
	return !faccessat(t->proc, path, F_OK, 0);
}

static int has_stopped(struct attach_thread *thread, const struct attach_target *t, int status,
		       struct op_reason *error)
{
	struct iovec vec = { &thread->regs, sizeof(thread->regs) };

	if (attach_thread_has_execed(status))
		return -ESRCH;
	/* The thread has stopped to receive a signal: deliver the signal. The requested stop
	 * follows. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		return attach_thread_resume(thread, PTRACE_CONT, WSTOPSIG(status)) ? -ESRCH
										   : -EAGAIN;
	if (!is_of(thread, t))
		return -ESRCH;
	if (WSTOPSIG(status) != SIGTRAP)
		return op_fail(error, -EBUSY,
			       "process %d is stopped by a signal: continue it with kill -CONT %d",
			       (int)t->pid, (int)t->pid);
	return ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &vec) ? -ESRCH : 0;
}

int attach_thread_stop_poll(struct attach_thread *thread, const struct attach_target *t,
			    struct op_reason *error)
{
	const pid_t tid = thread->tid;
	int status, err = attach_thread_next(thread, &status);

	if (!err)
		err = has_stopped(thread, t, status, error);
	if (err == -ESRCH)
		op_fail(error, err, "thread %d has ended", (int)tid);
	if (err && err != -EAGAIN)
		attach_thread_release(thread);
	return err;
}

static int wait_for_stop(struct attach_thread *thread, const struct attach_target *t,
			 struct op_reason *error)
{
	const uint64_t end = attach_stop_end_ns(t);
	const pid_t tid = thread->tid;
	long pause = 0;
	int err;

	while ((err = attach_thread_stop_poll(thread, t, error)) == -EAGAIN &&
	       op_now_ns() < end)
		attach_pause(&pause);
	if (err != -EAGAIN)
		return err;
	attach_thread_release(thread);
	return op_fail(error, -ETIME, "thread %d sleeps in the kernel and cannot be interrupted",
		       (int)tid);
}

int attach_thread_stop(struct attach_thread *thread, const struct attach_target *t, pid_t tid,
		       struct op_reason *error)
{
	int err = attach_thread_stop_begin(thread, t, tid, error);

	if (!err)
		return wait_for_stop(thread, t, error);
	attach_thread_release(thread);
	return err;
}

void attach_thread_release(struct attach_thread *thread)
{
	if (thread->tid && thread->is_stopped) {
		ptrace(PTRACE_DETACH, thread->tid, NULL, NULL);
		set_stopped(thread, false);
	}
	*thread = (struct attach_thread){ 0 };
}

void attach_threads_release(void)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_DETACH, tid, NULL,
			       (void *)(long)attach_thread_signal(status));
}
