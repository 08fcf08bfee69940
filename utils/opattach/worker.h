/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h -- running the work on the target in a child process, so that the parent can give up at
 * a deadline.
 *
 * The target can make opattach wait indefinitely: a page of its memory, its list of mappings and
 * its files may be in a FUSE file system, and an exec of the target blocks ptrace(2). Not even
 * SIGKILL ends such a wait. So a child does all work, and the process that the user started ends at
 * the deadline without waiting for the child.
 */
#ifndef UTILS_OPATTACH_WORKER_H
#define UTILS_OPATTACH_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct attach_worker {
	pid_t pid;		/* the target's process id, for messages */
	/* time limit in milliseconds for starting to sample, and for stopping */
	unsigned int begin_ms;
	unsigned int ms;	/* duration of sampling in milliseconds; 0: until interrupted */
	int begun;		/* in the child: descriptor to close when sampling has started */
};

/*
 * Fork. Return true in the child, whose stderr is relayed to the caller's stderr. In the caller,
 * return false when the child has ended or the deadline has passed, and store the exit status in
 * *@status; set @error if the caller itself failed. If a signal has ended the child, the caller
 * ends by the same signal.
 */
bool attach_worker_fork(struct attach_worker *worker, int *status, struct op_reason *error);

#endif
