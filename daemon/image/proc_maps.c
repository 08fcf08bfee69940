// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_maps.c -- parsing of /proc/PID/maps. */
#include "config.h"
#include "daemon/image/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Replace the kernel's escape \012 in the name of a mapping by a newline. */
static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (!strncmp(s, "\\012", 4)) {
			*out++ = '\n';
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

static bool parse_hex(char **p, char end, uint64_t *ret)
{
	char *stop;

	errno = 0;
	*ret = strtoull(*p, &stop, 16);
	if (stop == *p || *stop != end || errno)
		return false;
	*p = stop + 1;
	return true;
}

/* Parse a line of /proc/PID/maps in place: remove the newline, and decode escapes in the name. */
static bool parse(struct opd_proc_map *ret, char *line)
{
	struct opd_proc_map m = { 0 };
	uint64_t major, minor;
	char *p = line, *stop;

	p[strcspn(p, "\n")] = '\0';
	if (!parse_hex(&p, '-', &m.start) || !parse_hex(&p, ' ', &m.end))
		return false;
	if (strlen(p) < 5 || p[4] != ' ')
		return false;
	m.exec = p[2] == 'x';
	p += 5;
	if (!parse_hex(&p, ' ', &m.pgoff) || !parse_hex(&p, ':', &major) ||
	    !parse_hex(&p, ' ', &minor))
		return false;
	m.dev = makedev(major, minor);
	m.ino = strtoull(p, &stop, 10);
	if (stop == p)
		return false;
	m.name = stop + strspn(stop, " ");
	unescape(m.name);
	*ret = m;
	return true;
}

int opd_proc_maps_each(int proc_fd, pid_t pid, opd_proc_map_fn fn, void *arg)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%d/maps", (int)pid);
	fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM ? -EACCES : -ENOENT;
	return opd_proc_maps_read(fd, fn, arg);
}

int opd_proc_maps_read(int fd, opd_proc_map_fn fn, void *arg)
{
	FILE *f = fdopen(fd, "r");
	struct opd_proc_map map;
	char *line = NULL;
	size_t cap = 0;
	int ret = 0;

	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && getline(&line, &cap, f) > 0)
		if (parse(&map, line))
			ret = fn(arg, &map);
	free(line);
	fclose(f);
	return ret;
}

bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind)
{
	char path[4096], own[64];
	struct stat ours, its;

	snprintf(path, sizeof(path), "%s/%d/ns/%s", proc_dir, (int)tgid, kind);
	snprintf(own, sizeof(own), "/proc/self/ns/%s", kind);
	return !stat(path, &its) && !stat(own, &ours) && its.st_ino != ours.st_ino;
}
