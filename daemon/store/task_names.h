/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- names of processes and threads that have samples of their own
 * (--separate=thread).
 *
 * perf_events reports when a task gets a name, and which task has started a new task. All other
 * names are read from /proc when a task has its first sample, and again when names are written,
 * because names change. A task that ended before its name could be read has no name; with the
 * module, whose samples arrive in batches, no short-lived task has one. At most OP_TASK_NAMES_MAX
 * names are kept; in a flood of processes most processes have no name.
 */
#ifndef OPD_TASK_NAMES_H
#define OPD_TASK_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct opd_task_names;

/* Create *@ret. @proc_dir: "/proc", or a copy for tests. Return 0 or a negative errno. */
int opd_task_names_create(struct opd_task_names **ret, const char *proc_dir);
/* Destroy @names. This and the other functions accept NULL. */
void opd_task_names_destroy(struct opd_task_names *names);

/* Note that the task has a sample in the session. Repeated calls are cheap. */
void opd_task_names_sampled(struct opd_task_names *names, pid_t tgid, pid_t tid);

/* Note that the task had this name. @when: time of the record, as in record.h; 0: unknown. */
void opd_task_names_named(struct opd_task_names *names, pid_t tgid, pid_t tid, const char *name,
			 uint64_t when);

/* Note that the task is new. It has its parent's name until another name is reported, and no data
 * of an earlier task with the same ids. */
void opd_task_names_started(struct opd_task_names *names, pid_t tgid, pid_t tid, pid_t parent_tgid,
			    pid_t parent_tid);

/* Write the names of sampled tasks to the session, in addition to the names that an earlier daemon
 * wrote. Return 0 or a negative errno. */
int opd_task_names_write(struct opd_task_names *names, int current_fd);

/* Begin a new session, in which no task has been sampled. */
void opd_task_names_restart(struct opd_task_names *names);

#endif
