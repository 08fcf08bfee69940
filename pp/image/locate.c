// SPDX-License-Identifier: GPL-2.0-or-later
/* locate.c -- tries the places in order. */
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

int pp_locate(char **ret_path, const char *path, const char *root, const char *image_path)
{
	const char *base = strrchr(path, '/');
	const char *dir = image_path;
	int first, fd;

	first = fd = try_open(ret_path, root ? root : "", root ? strlen(root) : 0, path);
	while (fd < 0 && fd != -ENOMEM && dir && *dir) {
		size_t len = strcspn(dir, ",");

		if (len) {
			fd = try_open(ret_path, dir, len, path);
			if (fd < 0 && fd != -ENOMEM)
				fd = try_open(ret_path, dir, len, base ? base + 1 : path);
		}
		dir += len + (dir[len] == ',');
	}
	return fd >= 0 ? fd : first;
}
