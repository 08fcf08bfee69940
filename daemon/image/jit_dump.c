// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_dump.c -- search for the file jit-PID.dump among a process's mappings. */
#include "config.h"
#include "daemon/image/jit_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/image/finder.h"

struct search {
	struct opd_jit_dump *ret;
	char name[32];		/* end of the file's path, "/jit-PID.dump" */
	size_t nr_lines;
};

static int match_dump(void *arg, const struct opd_proc_map *map)
{
	struct search *s = arg;
	size_t len = strlen(map->name), end = strlen(s->name);

	if (++s->nr_lines > OPD_JIT_DUMP_LINES)
		return -ENOENT;
	if (!map->exec || !map->ino || len < end || strcmp(map->name + len - end, s->name))
		return 0;
	s->ret->path = strdup(map->name);
	s->ret->dev = map->dev;
	s->ret->ino = map->ino;
	return s->ret->path ? 1 : -ENOMEM;
}

int opd_jit_dump_find(struct opd_jit_dump *ret, struct opd_finder *finder, const char *proc_dir,
		      pid_t tgid, pid_t own_tgid, size_t *nr_lines)
{
	struct opd_jit_dump found = { 0 };
	struct search s = { .ret = &found };
	int proc_fd = open(proc_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int result;

	*nr_lines = 0;
	if (proc_fd < 0)
		return -ENOENT;
	snprintf(s.name, sizeof(s.name), "/jit-%d.dump", (int)own_tgid);
	result = opd_finder_maps(finder, proc_fd, tgid, match_dump, &s);
	close(proc_fd);
	*nr_lines = s.nr_lines;
	if (result != 1)
		return -ENOENT;
	*ret = found;
	return 0;
}

void opd_jit_dump_release(struct opd_jit_dump *dump)
{
	free(dump->path);
	*dump = (struct opd_jit_dump){ 0 };
}
