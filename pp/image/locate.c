// SPDX-License-Identifier: GPL-2.0-or-later
/* locate.c -- the places where a binary may be, in order. */
#include "config.h"
#include "pp/image/locate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/debug_file.h"

static int try_open(char **ret_path, const char *dir, size_t dir_len, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%.*s%s%s", (int)dir_len, dir, name[0] == '/' ? "" : "/", name) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	if (fd >= 0)
		*ret_path = path;
	else
		free(path);
	return fd;
}

/* Return the directory number @index of the list, not counting empty ones, or NULL. */
static const char *directory(const char *list, int index, size_t *len)
{
	while (list && *list) {
		*len = strcspn(list, ",");
		if (*len && !index--)
			return list;
		list += *len + (list[*len] == ',');
	}
	return NULL;
}

/* Return the path without the daemon's mark of files in containers, which has no meaning below a
 * directory of the user's choice. */
static const char *behind_mark(const char *path)
{
	const char *name = strncmp(path, "/[container:", 12) ? NULL : strchr(path + 1, '/');

	return name ? name : path;
}

int pp_locate_next(struct pp_locate *l, char **ret_path)
{
	const char *base = strrchr(l->path, '/'), *dir;
	size_t len;
	int fd;

	if (!l->step) {
		l->step = 1;
		fd = try_open(ret_path, l->root ? l->root : "", l->root ? strlen(l->root) : 0,
			      l->root ? behind_mark(l->path) : l->path);
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
		l->first_err = fd;
	}
	/* Try two places in each directory. */
	while ((dir = directory(l->image_path, (l->step - 1) / 2, &len))) {
		const char *name = l->step++ % 2 || !base ? behind_mark(l->path) : base + 1;

		fd = try_open(ret_path, dir, len, name);
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
	}
	return -ENOENT;
}
