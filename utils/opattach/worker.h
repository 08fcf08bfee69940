/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h -- samples the target in a child process, so that the parent can give up at a deadline.
 *
 * The target can make opattach wait forever: a page of its memory, its list of mappings or its
 * files may be in a FUSE file system, and an exec of the target blocks ptrace(2). Not even SIGKILL
 * ends such a wait. So a child process does all work, and the process that the user started exits
 * at the deadline without waiting for the child.
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
	/* only in the child: descriptor to close when sampling has started */
	int begun;
};

/*
 * Fork. Return true in the child, whose stderr is relayed to the caller's stderr. In the caller,
 * return false after the child has ended or the deadline has passed, and store the exit status in
 * *@status. If the caller itself failed, set @error. If a signal has ended the child, the caller
 * dies by the same signal.
 */
bool attach_worker_fork(struct attach_worker *worker, int *status, struct op_reason *error);

#endif
