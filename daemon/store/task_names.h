/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- keeps the names of processes and threads that have samples of their own (--separate=thread).
 *
 * perf_events tells a name when it is given, and who begins with whose; what is not told is asked of /proc
 * when a task is met, and again when names are written, for names change. Who is gone by then has none: of the
 * module's samples, which arrive in batches, these are all tasks that live shortly. There are at most
 * OP_TASK_NAMES_MAX; most of a flood of processes has none.
 */
#ifndef OPD_TASK_NAMES_H
#define OPD_TASK_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct opd_task_names;

/* @proc_dir: "/proc", or a copy for tests. 0 or negative errno. */
int opd_task_names_create(struct opd_task_names **ret, const char *proc_dir);
/* Takes NULL, as the rest does. */
void opd_task_names_destroy(struct opd_task_names *names);

/* The task has a sample in the session. Cheap when told again and again. */
void opd_task_names_sampled(struct opd_task_names *names, pid_t tgid, pid_t tid);

/* The task had this name; @when: as record.h has it. */
void opd_task_names_told(struct opd_task_names *names, pid_t tgid, pid_t tid, const char *name, uint64_t when);

/* The task is new, has its parent's name until one is told, and nothing of who had its ids before. */
void opd_task_names_started(struct opd_task_names *names, pid_t tgid, pid_t tid, pid_t parent_tgid, pid_t parent_tid);

/* Those that were sampled, and what an earlier daemon left in the session. 0 or negative errno. */
int opd_task_names_write(struct opd_task_names *names, int current_fd);

/* A new session begins: nobody was sampled. */
void opd_task_names_restart(struct opd_task_names *names);

#endif
