/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h -- a child that works on the target, and a parent that waits for the child.
 *
 * The target can make opattach wait for any time: a page of its memory, its list of mappings and
 * its files may be in a file system that a user serves, and an exec of the target blocks ptrace(2).
 * Not even SIGKILL ends such a wait. So a child does all the work, and the process that the user
 * started leaves the child behind at the deadline.
 */
#ifndef UTILS_OPATTACH_WORKER_H
#define UTILS_OPATTACH_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct attach_worker {
	pid_t pid;		/* the target, for the message */
	unsigned int begin_ms;	/* limit for the beginning, and for the end */
	unsigned int ms;	/* time to sample between them; 0: until interrupted */
	int begun;		/* for the child: closed when the beginning is over */
};

/*
 * Fork. Return true in the child, whose stderr is relayed to the caller's. Return false in the
 * caller when the child has ended or is left behind, with the exit status in *@status, and with
 * @error if the caller itself failed. If a signal ended the child, the caller ends by the same
 * signal.
 */
bool attach_worker_fork(struct attach_worker *worker, int *status, struct op_reason *error);

#endif
