/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- search for the tasks on which events must be opened to count only some processes.
 *
 * An event counts one thread, and the threads and processes that this thread creates later. Threads
 * and children that exist already inherit nothing, so each of them needs its own events. The search
 * misses a thread that is created later by a thread whose events are not open yet.
 */
#ifndef OP_PERF_TASKS_H
#define OP_PERF_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Set *@ret, a malloc'd array, to the processes @pids and their descendants; if @threads, to all
 * threads of these processes. The processes @pids come first, in the order of @pids. A process that
 * has ended stays in the array, so that opening its event reports the error. @proc_dir: "/proc", or
 * a copy for tests. Return 0, -ENOMEM, or the error of reading /proc.
 */
int op_perf_tasks(pid_t **ret, size_t *ret_nr, const pid_t *pids, size_t nr, bool threads,
		  const char *proc_dir);

#endif
