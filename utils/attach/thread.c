// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c -- one thread of another process, stopped for a moment.
 */
#include "config.h"
#include "utils/attach/thread.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PAUSE_NS	20000
#define LAST_PAUSE_NS	1000000

uint64_t attach_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void attach_pause(long *pause)
{
	*pause = !*pause ? FIRST_PAUSE_NS : *pause < LAST_PAUSE_NS ? 2 * *pause : *pause;
	nanosleep(&(struct timespec){ 0, *pause }, NULL);
}

int attach_thread_next(struct attach_thread *thread, int *status)
{
	pid_t got = waitpid(thread->tid, status, __WALL | WNOHANG);

	if (got != thread->tid)
		return got < 0 && errno != EINTR ? -ESRCH : -EAGAIN;
	thread->is_stopped = WIFSTOPPED(*status);
	if (!thread->is_stopped)
		thread->tid = 0;
	return thread->is_stopped ? 0 : -ESRCH;
}

int attach_thread_go(struct attach_thread *thread, int request, int sig)
{
	if (ptrace(request, thread->tid, NULL, (void *)(long)sig))
		return -errno;
	thread->is_stopped = false;
	return 0;
}

int attach_thread_interrupt(struct attach_thread *thread)
{
	return ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) ? -errno : 0;
}

int attach_thread_ask(struct attach_thread *thread, const struct attach_target *t, pid_t tid, struct op_reason *why)
{
	*thread = (struct attach_thread){ 0 };
	/* PTRACE_O_EXITKILL is not among the options, and must not be: the target outlives us. */
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD))
		return attach_target_refused(t, -errno, why);
	thread->tid = tid;
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ? attach_target_refused(t, -errno, why) : 0;
}

/* Since we listed it, its number may have become another process'. Now it stands, and keeps its number. */
static bool is_of(const struct attach_thread *thread, const struct attach_target *t)
{
	char path[32];

	snprintf(path, sizeof(path), "task/%d", (int)thread->tid);
	return !faccessat(t->proc, path, F_OK, 0);
}

static int has_stopped(struct attach_thread *thread, const struct attach_target *t, int status, struct op_reason *why)
{
	struct iovec vec = { &thread->regs, sizeof(thread->regs) };

	thread->is_stopped = WIFSTOPPED(status);
	if (!thread->is_stopped) {
		thread->tid = 0;
		return -ESRCH;
	}
	/* A signal that comes first is the thread's; its handler is entered, and then it stops. */
	if (status >> 16 != PTRACE_EVENT_STOP) {
		thread->is_stopped = false;
		return ptrace(PTRACE_CONT, thread->tid, NULL, (void *)(long)WSTOPSIG(status)) ? -ESRCH : -EAGAIN;
	}
	if (!is_of(thread, t))
		return -ESRCH;
	if (WSTOPSIG(status) != SIGTRAP)
		return op_fail(why, -EBUSY, "process %d was stopped meanwhile: kill -CONT %d first", (int)t->pid, (int)t->pid);
	return ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &vec) ? -ESRCH : 0;
}

int attach_thread_ask_stop(struct attach_thread *thread, const struct attach_target *t, struct op_reason *why)
{
	const pid_t tid = thread->tid;
	int status, err = attach_thread_next(thread, &status);

	if (!err)
		err = has_stopped(thread, t, status, why);
	if (err == -ESRCH)
		op_fail(why, err, "thread %d has ended", (int)tid);
	if (err && err != -EAGAIN)
		attach_thread_release(thread);
	return err;
}

static int wait_for_stop(struct attach_thread *thread, const struct attach_target *t, struct op_reason *why)
{
	const uint64_t end = attach_now_ns() + ATTACH_STOP_MS * 1000000ULL;
	const pid_t tid = thread->tid;
	long pause = 0;
	int err;

	while ((err = attach_thread_ask_stop(thread, t, why)) == -EAGAIN && attach_now_ns() < end)
		attach_pause(&pause);
	if (err != -EAGAIN)
		return err;
	attach_thread_release(thread);
	return op_fail(why, -ETIME, "thread %d sleeps in the kernel, where nothing wakes it", (int)tid);
}

int attach_thread_stop(struct attach_thread *thread, const struct attach_target *t, pid_t tid, struct op_reason *why)
{
	int err = attach_thread_ask(thread, t, tid, why);

	if (!err)
		return wait_for_stop(thread, t, why);
	attach_thread_release(thread);
	return err;
}

void attach_thread_release(struct attach_thread *thread)
{
	if (thread->tid && thread->is_stopped)
		ptrace(PTRACE_DETACH, thread->tid, NULL, NULL);
	*thread = (struct attach_thread){ 0 };
}

void attach_threads_release(void)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
}
