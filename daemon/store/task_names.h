/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- keeps the names of processes and threads that have samples of their own
 * (--separate=thread).
 *
 * perf_events reports when a task gets a name, and which task has started another one. Other names
 * are read from /proc when a task has its first sample, and again when names are written, because
 * names change. A task that has ended by then has no name: with the module, whose samples arrive in
 * batches, these are all short-lived tasks. There are at most OP_TASK_NAMES_MAX names; in a flood
 * of processes most have none.
 */
#ifndef OPD_TASK_NAMES_H
#define OPD_TASK_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct opd_task_names;

/* Create *@ret. @proc_dir: "/proc", or a copy for tests. Return 0 or a negative errno. */
int opd_task_names_create(struct opd_task_names **ret, const char *proc_dir);
/* Destroy the names. This and the other functions accept NULL. */
void opd_task_names_destroy(struct opd_task_names *names);

/* Note that the task has a sample in the session. Repeated calls are cheap. */
void opd_task_names_sampled(struct opd_task_names *names, pid_t tgid, pid_t tid);

/* Note that the task had this name; @when: as in record.h. */
void opd_task_names_named(struct opd_task_names *names, pid_t tgid, pid_t tid, const char *name,
			 uint64_t when);

/* Note that the task is new. It has its parent's name until another is reported, and nothing of an
 * earlier task with the same ids. */
void opd_task_names_started(struct opd_task_names *names, pid_t tgid, pid_t tid, pid_t parent_tgid,
			    pid_t parent_tid);

/* Write the names of sampled tasks, and those that an earlier daemon left in the session. Return 0
 * or a negative errno. */
int opd_task_names_write(struct opd_task_names *names, int current_fd);

/* Begin a new session without sampled tasks. */
void opd_task_names_restart(struct opd_task_names *names);

#endif
