/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- names of processes and threads that have samples of their own
 * (--separate=thread).
 *
 * perf_events reports when a task gets a name, and which task has started a new task. Other names
 * are read from /proc at the first sample of the task, and again when the names are written,
 * because names change. A task that ends before its name is read has no name; with the kernel
 * module, whose samples arrive in batches, this applies to all short-lived tasks. At most
 * OP_TASK_NAMES_MAX names are kept, so if very many processes run, most of them have no name.
 */
#ifndef OPD_TASK_NAMES_H
#define OPD_TASK_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct opd_task_names;

/* Create *@ret. @proc_dir: "/proc", or a test's directory. Return 0 or a negative errno. */
int opd_task_names_create(struct opd_task_names **ret, const char *proc_dir);
/* Destroy @names. This function and the functions below accept NULL. */
void opd_task_names_destroy(struct opd_task_names *names);

/* Record that the task @tid of process @tgid has a sample in the current session. Repeated calls
 * are cheap. */
void opd_task_names_sampled(struct opd_task_names *names, pid_t tgid, pid_t tid);

/* Record the name of a task. @when: time of the name, as in record.h; 0: unknown. */
void opd_task_names_named(struct opd_task_names *names, pid_t tgid, pid_t tid, const char *name,
			 uint64_t when);

/* Record that the task @tid is new: it has its parent's name until another name is reported. Drop
 * the name of an earlier task with the same ids. */
void opd_task_names_started(struct opd_task_names *names, pid_t tgid, pid_t tid, pid_t parent_tgid,
			    pid_t parent_tid);

/* Write the names of tasks with samples to the session's file, in addition to the names that
 * earlier daemons wrote. Return 0 or a negative errno. */
int opd_task_names_write(struct opd_task_names *names, int current_fd);

/* Call when a new session starts: no task has samples in this session yet. */
void opd_task_names_restart(struct opd_task_names *names);

#endif
