/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h -- one thread of another process, stopped for a moment.
 *
 * It is seized, not attached to, so no signal is sent and nothing is made to end with us: when we are killed, the kernel lets
 * it go on where it stands.
 */
#ifndef ATTACH_THREAD_H
#define ATTACH_THREAD_H

#include <signal.h>

#include "utils/attach/arch/arch.h"
#include "utils/attach/target.h"

struct attach_thread {
	pid_t tid;			/* 0: none */
	bool is_stopped;
	struct attach_regs regs;	/* as it was stopped */
};

/* 0; -ESRCH: it has ended; -ETIME: it sleeps in the kernel where nothing wakes it; or why not, with text. */
int attach_thread_stop(struct attach_thread *thread, const struct attach_target *t, pid_t tid, struct op_reason *why);

/* The same in two steps, for many at a time: it is asked to stop, and waited for. */
int attach_thread_ask(struct attach_thread *thread, const struct attach_target *t, pid_t tid, struct op_reason *why);
int attach_thread_wait(struct attach_thread *thread, const struct attach_target *t, struct op_reason *why);

/* Stops one that goes on, wherever it is. 0, or as above. */
int attach_thread_halt(struct attach_thread *thread);

/* It goes on, and is no more ours. One that has not stopped yet goes on when it does, by attach_threads_release(). */
void attach_thread_release(struct attach_thread *thread);

/* Whatever has stopped of threads that were released before. To be called from time to time by who stays. */
void attach_threads_release(void);

/*
 * Lets a stopped thread go on up to its next stop, as ptrace(2)'s @request does: *@status as wait(2) has it. 0; -ESRCH: it has
 * ended; -ETIME: it has not stopped within @ms; -EALREADY: @is_over (may be NULL) said meanwhile that it need not.
 */
typedef bool (*attach_over_fn)(void *arg);
int attach_thread_go(struct attach_thread *thread, int request, int sig, unsigned int ms, attach_over_fn is_over, void *arg,
		     int *status);

#endif
