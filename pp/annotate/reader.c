// SPDX-License-Identifier: GPL-2.0-or-later
/* reader.c -- checks the permissions of a file and of the directories on its path. */
#include "config.h"
#include "pp/annotate/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* State of a walk along a path, which checks permissions of each directory. */
struct walk {
	const struct pp_reader *reader;
	bool allowed, public;
};

int pp_reader_init(struct pp_reader *reader, uid_t uid)
{
	struct passwd *user = uid == PP_NO_OWNER ? NULL : getpwuid(uid);
	int nr = 0;

	*reader = (struct pp_reader){ .uid = uid };
	if (!user)
		return 0;
	getgrouplist(user->pw_name, user->pw_gid, NULL, &nr);
	reader->groups = calloc(nr + 1, sizeof(*reader->groups));
	if (!reader->groups)
		return -ENOMEM;
	if (getgrouplist(user->pw_name, user->pw_gid, reader->groups, &nr) >= 0)
		reader->nr_groups = nr;
	return 0;
}

void pp_reader_release(struct pp_reader *reader)
{
	free(reader->groups);
	*reader = (struct pp_reader){ 0 };
}

static bool is_in_group(const struct pp_reader *reader, gid_t gid)
{
	for (int i = 0; i < reader->nr_groups; i++)
		if (reader->groups[i] == gid)
			return true;
	return false;
}

/* Return whether the file has an access control list, which may deny access that the mode
 * allows. */
static bool has_acl(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* Check whether the user may use a file or directory on the path, by its mode. @want: 4 to read a
 * file, 1 to search a directory. */
static void check_access(struct walk *walk, int fd, const struct stat *st, mode_t want)
{
	const struct pp_reader *reader = walk->reader;
	mode_t bits = st->st_mode;

	walk->public = walk->public && (bits & want);
	if (reader->uid == st->st_uid)
		bits >>= 6;
	else if (has_acl(fd))
		bits = 0;
	else if (is_in_group(reader, st->st_gid))
		bits >>= 3;
	walk->allowed = walk->allowed && (bits & want);
}

/* Walk from the directory @dir along @path, check the permissions of each directory, and close
 * @dir. Return whether the path leads to the file @wanted. */
static bool walk_down(struct walk *walk, int dir, char *path, const struct stat *wanted)
{
	struct stat st = { 0 };
	char *rest = NULL;

	for (char *name = strtok_r(path, "/", &rest); name && dir >= 0;
	     name = strtok_r(NULL, "/", &rest)) {
		int next = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		close(dir);
		dir = next;
		if (dir >= 0 && !fstat(dir, &st))
			check_access(walk, dir, &st, S_ISDIR(st.st_mode) ? 1 : 4);
	}
	if (dir >= 0)
		close(dir);
	/* Check that the path leads to the file @wanted: the path may have been replaced since the
	 * file was opened. */
	return dir >= 0 && st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
}

/* Return the part of @path after the directory @dir, or NULL if @path is not below @dir. */
static char *below(char *path, const char *dir)
{
	char *real = realpath(dir, NULL);
	size_t n = real ? strlen(real) : 0;
	bool is_below = n && !strncmp(path, real, n) && (n == 1 || path[n] == '/');

	free(real);
	return is_below ? path + n : NULL;
}

int pp_reader_check(const struct pp_reader *reader, int fd, const char *root, bool *ret_public)
{
	static const struct pp_reader nobody = { .uid = PP_NO_OWNER };
	char link[64], path[PATH_MAX], *start;
	struct walk walk = { .reader = reader, .allowed = 1, .public = 1 };
	struct stat st;
	ssize_t n;

	if (!root || !*root)
		root = "/";
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n <= 0 || n == sizeof(path) || fstat(fd, &st))
		return -EPERM;
	path[n] = '\0';
	start = below(path, root);
	if (!start && reader->uid == 0)
		walk.reader = &nobody;
	if (!walk_down(&walk, open(start ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC),
		       start ? start : path, &st))
		walk.allowed = walk.public = 0;
	/* Modes do not restrict root, and the user of this process has already opened the file. */
	if (!walk.allowed && walk.reader->uid != 0 && walk.reader->uid != geteuid())
		return -EPERM;
	*ret_public = walk.public;
	return 0;
}
