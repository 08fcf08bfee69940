// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c -- search for the threads of processes and of their existing children.
 */
#include "config.h"
#include "libop/perf/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/grow.h"

struct tasks {
	pid_t *ids;
	size_t nr;
};

static int add(struct tasks *t, pid_t id)
{
	if (op_grow(&t->ids, t->nr))
		return -ENOMEM;
	t->ids[t->nr++] = id;
	return 0;
}

static bool holds(const struct tasks *t, pid_t id)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->ids[i] == id)
			return true;
	return false;
}

static pid_t number(const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	return *end || n <= 0 || n > INT32_MAX ? 0 : (pid_t)n;
}

/* Return the parent of the process @pid; 0: unknown. */
static pid_t parent_of(int proc, pid_t pid)
{
	char path[32], text[512], *behind_name;
	ssize_t n;
	int fd, parent = 0;

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* The program chooses the name in parentheses, which may contain ')'. So search for the
	 * last ')'. */
	behind_name = strrchr(text, ')');
	if (!behind_name || sscanf(behind_name, ") %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Append the children of the processes in @family to @family. */
static int add_children(struct tasks *family, int proc)
{
	struct dirent *e;
	DIR *dir;
	int err = op_open_dir(proc, ".", &dir);

	if (err)
		return err;
	while (!err && (e = op_next_entry(dir))) {
		pid_t pid = number(e->d_name);

		if (pid && !holds(family, pid) && holds(family, parent_of(proc, pid)))
			err = add(family, pid);
	}
	closedir(dir);
	return err;
}

/* Append the threads of the process @pid to @t, except the first thread, whose id is the process
 * id. */
static int add_threads(struct tasks *t, int proc, pid_t pid)
{
	char path[32];
	struct dirent *e;
	DIR *dir;
	int err;

	snprintf(path, sizeof(path), "%d/task", (int)pid);
	err = op_open_dir(proc, path, &dir);
	if (err)
		return err == -ENOENT || err == -ESRCH ? 0 : err;
	while (!err && (e = op_next_entry(dir))) {
		pid_t tid = number(e->d_name);

		if (tid && tid != pid)
			err = add(t, tid);
	}
	closedir(dir);
	return err;
}

/* Set *@all to the processes @pids, their children and all further descendants. */
static int find_family(struct tasks *all, const pid_t *pids, size_t nr, int proc)
{
	size_t before;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (!holds(all, pids[i]))
			err = add(all, pids[i]);
	do {
		before = all->nr;
		if (!err)
			err = add_children(all, proc);
	} while (!err && all->nr != before);
	return err;
}

int op_perf_tasks(pid_t **ret, size_t *ret_nr, const pid_t *pids, size_t nr, bool threads,
		  const char *proc_dir)
{
	struct tasks all = { 0 };
	size_t nr_family;
	int proc = open(proc_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (proc < 0)
		return -errno;
	err = find_family(&all, pids, nr, proc);
	nr_family = all.nr;
	for (size_t i = 0; threads && i < nr_family && !err; i++)
		err = add_threads(&all, proc, all.ids[i]);
	close(proc);
	if (err) {
		free(all.ids);
		return err;
	}
	*ret = all.ids;
	*ret_nr = all.nr;
	return 0;
}
