// SPDX-License-Identifier: GPL-2.0-or-later
/* mount_path.c -- conversion of a path inside a file system to a path through one of the daemon's
 * mounts. */
#include "config.h"
#include "daemon/image/mount_path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/image/finder.h"

struct mount {
	uint64_t dev;
	char *root;		/* directory, in the file system, that is mounted */
	char *point;
	const char *type;
};

/* Decode the kernel's escapes in @s in place: the kernel writes blanks and backslashes as \ooo. */
static char *unescape(char *s)
{
	char *to = s, *from = s;

	while (*from) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0');
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* Parse a line of mountinfo: "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root
 * rw,errors=continue". */
static bool parse(struct mount *m, char *line)
{
	char *dash = strstr(line, " - "), *save, *field;
	unsigned int major, minor;

	if (!dash)
		return false;
	*dash = '\0';
	m->type = strtok_r(dash + 3, " \n", &save);
	if (!strtok_r(line, " ", &save) || !strtok_r(NULL, " ", &save))
		return false;
	field = strtok_r(NULL, " ", &save);
	m->root = strtok_r(NULL, " ", &save);
	m->point = strtok_r(NULL, " ", &save);
	if (!m->type || !field || !m->root || !m->point ||
	    sscanf(field, "%u:%u", &major, &minor) != 2)
		return false;
	m->dev = makedev(major, minor);
	unescape(m->root);
	unescape(m->point);
	return true;
}

/* Return whether a user's process may serve this type of file system, so that access to it may
 * block. */
static bool may_block(const char *type)
{
	return !strncmp(type, "fuse", 4) || !strcmp(type, "autofs");
}

/* Return the part of @path after the directory @dir, beginning with a slash. Return NULL if @path
 * is not below @dir. */
static const char *below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return !strncmp(path, dir, len) && path[len] == '/' ? path + len : NULL;
}

int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder,
		   FILE *mountinfo, uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino)
{
	char *line = NULL, *path;
	size_t size = 0;
	int err = -ENOENT;

	while (err == -ENOENT && getline(&line, &size, mountinfo) > 0) {
		struct mount m;
		const char *rest;

		if (!parse(&m, line) || m.dev != fs_dev || may_block(m.type))
			continue;
		rest = below(inner, m.root);
		if (!rest)
			continue;
		if (asprintf(&path, "%s%s", strcmp(m.point, "/") ? m.point : "", rest) < 0) {
			err = -ENOMEM;
			break;
		}
		err = opd_finder_find(finder, identity, path, dev, ino, 0);
		if (err)
			free(path);
		else
			*ret = path;
		err = err ? -ENOENT : 0;
	}
	free(line);
	return err;
}
