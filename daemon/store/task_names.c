// SPDX-License-Identifier: GPL-2.0-or-later
/* task_names.c -- names of the processes and threads that have samples. */
#include "config.h"
#include "daemon/store/task_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/session/task_names.h"

/* maximum number of names that opd_task_names_write() reads from /proc per call */
#define MAX_ASKED	4096

enum flag {
	SAMPLED = 1,
	RECENT = 2,		/* the task has samples since its name was last read */
};

struct opd_task_names {
	struct op_task_names names;
	int proc_fd;
	/* task of the last opd_task_names_sampled(), to skip repeated calls */
	pid_t tgid, tid;
	/* the table of names is full, and few names can be dropped before the next session */
	bool full;
	bool changed;		/* a name has changed since the names were last written */
	/* the names that an earlier daemon wrote to the session's file have been read */
	bool has_read;
};

int opd_task_names_create(struct opd_task_names **ret, const char *proc_dir)
{
	struct opd_task_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->proc_fd = open(proc_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (names->proc_fd < 0) {
		int err = -errno;

		free(names);
		return err;
	}
	*ret = names;
	return 0;
}

void opd_task_names_destroy(struct opd_task_names *names)
{
	if (!names)
		return;
	op_task_names_release(&names->names);
	close(names->proc_fd);
	free(names);
}

/* Read the name of the task from /proc. A name may contain newlines, so remove only the final
 * newline, which the kernel adds. */
static void read_name(struct opd_task_names *names, struct op_task_name *task)
{
	char path[64], name[OP_TASK_NAME_SIZE + 1], before[OP_TASK_NAME_SIZE];
	size_t len;
	int fd;

	task->flags &= ~RECENT;
	snprintf(path, sizeof(path), "%d/task/%d/comm", (int)task->tgid, (int)task->tid);
	fd = openat(names->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (op_read_all(fd, name, sizeof(name), &len) == 0 && len > 1) {
		memcpy(before, task->name, sizeof(before));
		op_task_name_set(task, name, name[len - 1] == '\n' ? len - 1 : len);
		names->changed |= memcmp(before, task->name, sizeof(before));
	}
	close(fd);
}

/* Return the entry of task @tid; add the entry if it is missing. If the table is full, drop the
 * names of tasks without samples. Return NULL if the table is still full, or if memory is short. */
static struct op_task_name *task_of(struct opd_task_names *names, pid_t tgid, pid_t tid)
{
	struct op_task_name *task = op_task_names_get(&names->names, tgid, tid);

	if (task || names->names.table.nr < OP_TASK_NAMES_MAX || names->full)
		return task;
	/* If this drops only few names, do not try again in this session: each attempt visits all
	 * names. */
	op_task_names_filter(&names->names, SAMPLED);
	names->full = names->names.table.nr > OP_TASK_NAMES_MAX / 4 * 3;
	return op_task_names_get(&names->names, tgid, tid);
}

void opd_task_names_sampled(struct opd_task_names *names, pid_t tgid, pid_t tid)
{
	struct op_task_name *task;

	if (!names || (tgid == names->tgid && tid == names->tid))
		return;
	names->tgid = tgid;
	names->tid = tid;
	task = task_of(names, tgid, tid);
	if (!task)
		return;
	names->changed |= !(task->flags & SAMPLED);
	/* If reading the name failed before, do not try again: the task has probably ended. */
	if (!task->name[0] && !(task->flags & RECENT))
		read_name(names, task);
	task->flags |= SAMPLED | RECENT;
}

void opd_task_names_named(struct opd_task_names *names, pid_t tgid, pid_t tid, const char *name,
			 uint64_t when)
{
	struct op_task_name *task = names ? task_of(names, tgid, tid) : NULL;

	if (!task || (when && when <= task->when))
		return;
	task->when = when;
	op_task_name_set(task, name, OP_TASK_NAME_SIZE);
	names->changed |= task->flags & SAMPLED;
}

void opd_task_names_started(struct opd_task_names *names, pid_t tgid, pid_t tid, pid_t parent_tgid,
			    pid_t parent_tid)
{
	struct op_task_name *task = names ? task_of(names, tgid, tid) : NULL, *parent;

	if (!task)
		return;
	parent = op_task_names_find(&names->names, parent_tgid, parent_tid);
	if (parent && parent->name[0]) {
		op_task_name_set(task, parent->name, OP_TASK_NAME_SIZE);
		names->changed |= task->flags & SAMPLED;
	} else {
		task->name[0] = '\0';
	}
	task->flags &= ~RECENT;
	if (tgid == names->tgid && tid == names->tid)
		/* Clear the cached task ids, so that the next sample marks the new task as
		 * sampled. */
		names->tgid = names->tid = 0;
}

int opd_task_names_write(struct opd_task_names *names, int current_fd)
{
	struct op_hash_link *link;
	size_t asked = 0, bucket;
	int err;

	if (!names)
		return 0;
	op_hash_for_each(&names->names.table, bucket, link) {
		struct op_task_name *task = (struct op_task_name *)link;

		if (!(task->flags & RECENT) || asked == MAX_ASKED)
			continue;
		read_name(names, task);
		asked++;
	}
	/* Clear the cached task ids, so that the task's next sample marks the task as recent
	 * again. */
	names->tgid = names->tid = 0;
	if (!names->changed)
		return 0;
	err = names->has_read ? 0 : op_task_names_read(&names->names, SAMPLED, current_fd);
	if (err && !op_file_is_useless(err))
		return err;
	names->has_read = true;
	err = op_task_names_write(&names->names, SAMPLED, current_fd);
	names->changed = err != 0;
	return err;
}

void opd_task_names_restart(struct opd_task_names *names)
{
	struct op_hash_link *link;
	size_t bucket;

	if (!names)
		return;
	op_hash_for_each(&names->names.table, bucket, link)
		((struct op_task_name *)link)->flags = 0;
	names->full = false;
	names->tgid = names->tid = 0;
	names->changed = false;
	names->has_read = true;
}
