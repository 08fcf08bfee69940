/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h -- the process that touches the target, and the one that waits for it.
 *
 * The target decides how long others wait for it: a page of its memory, its list of mappings and its files may be in a file
 * system that a user serves, and an exec of it holds back ptrace(2). The kernel lets nobody give up such a wait, not even by
 * SIGKILL. So a child does all the work, and the process that the user started leaves it behind when its time is up.
 */
#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct attach_worker {
	pid_t pid;		/* the target, for the message */
	unsigned int begin_ms;	/* for the beginning, and again for the end */
	unsigned int ms;	/* between them; 0: until it is interrupted */
	int begun;		/* in the child: closing it says that the beginning is over */
};

/*
 * Fork. Returns true in the child, whose stderr goes through the caller's. Returns false in the caller when the child has ended or
 * is left behind, with *@status as the caller's exit status and, if that is of the caller's own making, @error. A child that
 * a signal has ended is followed by that signal.
 */
bool attach_worker_fork(struct attach_worker *worker, int *status, struct op_reason *error);

#endif
