/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- which tasks events are opened on, when only some processes are to be watched.
 *
 * An event counts one thread and what that thread starts from then on. Threads and children that are
 * there already inherit nothing, so each of them gets events of its own. A thread that starts between
 * the look at /proc and the opening, from one that is not open yet, is missed.
 */
#ifndef OP_PERF_TASKS_H
#define OP_PERF_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * *@ret: malloc'd, the processes @pids and their descendants, with @threads all threads of them; the processes
 * themselves come first, in their order. A process that is gone stays in, so that opening it tells. @proc_dir:
 * "/proc", or a copy for tests. 0, -ENOMEM, or what /proc cannot be read for.
 */
int op_perf_tasks(pid_t **ret, size_t *ret_nr, const pid_t *pids, size_t nr, bool threads, const char *proc_dir);

#endif
