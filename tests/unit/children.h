/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.h -- finds the child processes of a process, such as the workers of the finder. */
#ifndef TESTS_UNIT_CHILDREN_H
#define TESTS_UNIT_CHILDREN_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/* Return the last process whose parent is @parent, or 0. */
static inline pid_t child_of(pid_t parent)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	pid_t last = 0;

	while ((d = readdir(dir))) {
		char path[300];
		int ppid = 0;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/stat", d->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %*c %d", &ppid) == 1 && ppid == parent && atoi(d->d_name) > last)
			last = atoi(d->d_name);
		fclose(f);
	}
	closedir(dir);
	return last;
}

#endif
