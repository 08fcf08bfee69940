// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * children.c -- lists the children of a process.
 */
#include "config.h"
#include "utils/opattach/children.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return whether the process has had children and waited for them. Each child causes page faults,
 * which the kernel adds to a counter of the parent when the parent waits for the child. */
static bool had_children(const struct attach_target *t)
{
	int fd = openat(t->proc, "stat", O_RDONLY | O_CLOEXEC);
	char text[1024] = "", *rest;
	unsigned long faults = 0;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	if (fd >= 0)
		close(fd);
	rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %lu", &faults) == 1 &&
	       faults;
}

static void for_each_child(const struct attach_target *t, pid_t tid, attach_child_fn take,
			   void *arg)
{
	char name[64], *line = NULL;
	size_t size = 0;
	FILE *f;
	int fd;

	snprintf(name, sizeof(name), "task/%d/children", (int)tid);
	fd = openat(t->proc, name, O_RDONLY | O_CLOEXEC);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	/* The file "children" in /proc has numbers separated by blanks, without a newline at the
	 * end. */
	while (f && getdelim(&line, &size, ' ', f) > 0)
		if (atoi(line) > 0)
			take(arg, atoi(line));
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
}

void attach_children(const struct attach_target *t, attach_child_fn take, void *arg)
{
	pid_t *tids;
	int nr = attach_target_threads(t, &tids);

	for (int i = 0; i < nr; i++)
		for_each_child(t, tids[i], take, arg);
	if (nr >= 0)
		free(tids);
}

static void set_found(void *found, pid_t child)
{
	*(bool *)found = child;
}

bool attach_has_children(const struct attach_target *t)
{
	bool found = had_children(t);

	if (!found)
		attach_children(t, set_found, &found);
	return found;
}
