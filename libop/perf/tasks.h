/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- search for the threads on which perf events must be opened to count only some
 * processes.
 *
 * A perf event counts one thread, and the threads and processes that this thread creates later.
 * Threads and children that exist already do not inherit the event, so each of them needs its own
 * event. If a thread creates another thread after the search, but before its event is opened, the
 * new thread is not counted.
 */
#ifndef OP_PERF_TASKS_H
#define OP_PERF_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Set *@ret to an array, which the caller frees, of the processes @pids and their descendants; if
 * @threads, of all threads of these processes. The processes @pids are the first elements, in the
 * order of @pids. A process that has ended stays in the array, so that opening its event reports
 * the error. @proc_dir: "/proc", or a copy for tests. Return 0, -ENOMEM, or the error of reading
 * /proc.
 */
int op_perf_tasks(pid_t **ret, size_t *ret_nr, const pid_t *pids, size_t nr, bool threads,
		  const char *proc_dir);

#endif
