// SPDX-License-Identifier: GPL-2.0-or-later
/* beside.c -- search for files that belong to the same installation as the running program. */
#include "config.h"
#include "libop/base/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PARTS	64	/* maximum number of components of a path */

/* The owner, group and mode of a file and of each directory on the file's path. */
struct parts {
	size_t nr;
	struct stat st[MAX_PARTS];
};

/* Read the owners and modes of the file @path and of the directories on its path. @path must not
 * contain a symbolic link. Return whether all could be read. */
static bool read_parts(struct parts *parts, const char *path)
{
	char prefix[PATH_MAX];
	size_t len = strlen(path);

	parts->nr = 0;
	if (*path != '/' || len >= sizeof(prefix))
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i && path[i] != '/' && path[i])
			continue;
		memcpy(prefix, path, i ? i : 1);
		prefix[i ? i : 1] = '\0';
		if (parts->nr == MAX_PARTS || lstat(prefix, &parts->st[parts->nr++]))
			return false;
	}
	return true;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Return whether the members of the group of @st may replace the file @st, or files in the
 * directory @st. */
static bool group_writes(const struct stat *st)
{
	return st->st_mode & S_IWGRP && !(S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX);
}

/* Return whether each user who may write to @st can be trusted: the user is root, or may also write
 * to the running program's file or to a directory on its path (@self). */
static bool part_trusted(const struct parts *self, const struct stat *st)
{
	bool owner = st->st_uid == 0, group = !group_writes(st) || st->st_gid == 0;

	if (st->st_mode & S_IWOTH && !(S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX))
		return false;
	for (size_t i = 0; i < self->nr; i++) {
		owner |= self->st[i].st_uid == st->st_uid;
		group |= group_writes(&self->st[i]) && self->st[i].st_gid == st->st_gid;
	}
	return owner && group;
}

/* Return whether the file @path can be trusted: each user who can replace @path, or a directory on
 * its path, is root or can also replace @self or a directory on its path. Both paths are absolute,
 * and @path does not contain a symbolic link. */
static bool trusted(const char *self, const char *path)
{
	struct parts of_self, of_path;
	char *real_self = realpath(self, NULL);
	bool ok = real_self && read_parts(&of_self, real_self) && read_parts(&of_path, path);

	/* Skip a directory that is on both paths: a user who can replace this directory can also
	 * replace the program. */
	for (size_t i = 0; ok && i < of_path.nr; i++)
		ok = (i < of_self.nr && same_file(&of_self.st[i], &of_path.st[i])) ||
		     part_trusted(&of_self, &of_path.st[i]);
	free(real_self);
	return ok;
}

/* Write to @way the relative path that leads from the directory @from to the directory @to. Return
 * false if the path does not fit into @way. */
static bool relative(char way[PATH_MAX], const char *from, const char *to)
{
	size_t same = 0, len = 0;

	for (size_t i = 0;; i++) {
		if ((from[i] == '/' || !from[i]) && (to[i] == '/' || !to[i]))
			same = i;
		if (from[i] != to[i] || !from[i])
			break;
	}
	way[0] = '\0';
	for (const char *p = from + same; *p; p++) {
		if (*p != '/' || !p[1])
			continue;
		if (len + 4 > PATH_MAX)
			return false;
		len += (size_t)sprintf(way + len, "../");
	}
	to += same;
	while (*to == '/')
		to++;
	return snprintf(way + len, PATH_MAX - len, "%s", to) < (int)(PATH_MAX - len);
}

/* Return the path of the file @name in the directory @dir/@way. Return NULL with errno if the file
 * does not exist. */
static char *existing(const char *dir, const char *way, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s%s/%s", dir, *way ? "/" : "", way, name) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

/*
 * Return the path of a file as existing() does, if the directory is not the configured directory.
 * Fail with EPERM if another user can replace the file. The returned path does not contain a
 * symbolic link, because in a directory like /tmp another user could change a link after the check.
 */
static char *existing_trusted(const char *self, const char *dir, const char *way, const char *name)
{
	char *path = existing(dir, way, name), *real;

	if (!path)
		return NULL;
	real = realpath(path, NULL);
	free(path);
	if (real && trusted(self, real))
		return real;
	if (real)
		errno = EPERM;
	free(real);
	return NULL;
}

char *op_beside_find_of(const char *self, const struct op_beside *place, const char *name)
{
	char dir[PATH_MAX], way[PATH_MAX], *path = NULL, *slash;
	int err = ENOENT;

	if (snprintf(dir, sizeof(dir), "%s", self) >= (int)sizeof(dir))
		return existing(place->to, "", name);
	slash = strrchr(dir, '/');
	if (!slash || (!strncmp(dir, place->from, (size_t)(slash - dir)) &&
		       !place->from[slash - dir]))
		return existing(place->to, "", name);
	*slash = '\0';
	for (const char *const *tree = place->trees; *tree && !path; tree++) {
		path = existing_trusted(self, dir, *tree, name);
		if (!path && errno != ENOENT && errno != ENOTDIR)
			err = errno;
	}
	if (!path && relative(way, place->from, place->to)) {
		path = existing_trusted(self, dir, way, name);
		if (!path && errno != ENOENT && errno != ENOTDIR)
			err = errno;
	}
	if (!path)
		path = existing(place->to, "", name);
	if (!path)
		errno = err;
	return path;
}

char *op_beside_find(const struct op_beside *place, const char *name)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0 || getauxval(AT_SECURE))
		return existing(place->to, "", name);
	self[len] = '\0';
	return op_beside_find_of(self, place, name);
}
