// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c -- temporary session directories of reports. */
#include "config.h"
#include "pp/session/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/cache_dir.h"
#include "libop/base/dir.h"

#define RANGES_DIR	"ranges"	/* directory of temporary sessions in the user's cache */
#define SHM_DIR		"/dev/shm"
#define MAX_NAMES	100	/* maximum number of random names to try for a new directory */

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* Delete the temporary directory @name in @ranges, unless a process has locked it. */
static void delete_unused(int ranges, const char *name)
{
	int dir = openat(ranges, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return;
	if (!flock(dir, LOCK_EX | LOCK_NB) && !op_empty_dir(dir))
		unlinkat(ranges, name, AT_REMOVEDIR);
	close(dir);
}

/* Delete the temporary directories of reports that were killed. */
static void delete_left(int ranges)
{
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(ranges, ".", &dir))
		return;
	while ((d = op_next_entry(dir)))
		delete_unused(ranges, d->d_name);
	closedir(dir);
}

/* Create the directory @name and lock it. Return a descriptor or a negative errno. Return -EAGAIN
 * if the name exists, or if another process locked or deleted the new directory first; the caller
 * then tries another name. */
static int make_locked(int ranges, const char *name)
{
	struct stat st;
	int dir;

	if (mkdirat(ranges, name, 0700))
		return errno == EEXIST ? -EAGAIN : -errno;
	dir = openat(ranges, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	/* Continue if the file system does not support locks: delete_unused() then cannot lock the
	 * directory either, and does not delete it. */
	if ((flock(dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || fstat(dir, &st) ||
	    !st.st_nlink) {
		close(dir);
		return -EAGAIN;
	}
	return dir;
}

/* Open the directory @path in a file system in memory. Create it if @parent exists. Return a
 * descriptor or a negative errno. Return -EPERM if another user created the directory or could
 * replace it. */
static int open_private(const char *path, const char *parent)
{
	struct statfs fs;
	struct stat st;
	int fd;

	if (stat(parent, &st))
		return -errno;
	fd = op_cache_dir_open(path);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && !(st.st_mode & 077) && !fstatfs(fd, &fs) &&
	    fs.f_type == TMPFS_MAGIC)
		return fd;
	close(fd);
	return -EPERM;
}

/* Open the directory for temporary sessions in a file system in memory, which is faster for many
 * small files: oparchive writes a thousand. */
static int open_in_memory(char **path)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int fd = -ENOENT;

	*path = NULL;
	if (runtime && *runtime == '/' && asprintf(path, "%s/oprofile-ranges", runtime) < 0)
		return -ENOMEM;
	if (*path)
		fd = open_private(*path, runtime);
	if (fd >= 0)
		return fd;
	free(*path);
	if (asprintf(path, SHM_DIR "/oprofile-ranges-%u", (unsigned int)geteuid()) < 0)
		return -ENOMEM;
	fd = open_private(*path, SHM_DIR);
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	return fd;
}

static int open_in_cache(char **path)
{
	char *cache = op_cache_dir();
	int fd, made, ret;

	if (!cache)
		return -ENOENT;
	fd = op_cache_dir_open(cache);
	*path = fd < 0 ? NULL : join(cache, RANGES_DIR);
	free(cache);
	if (fd < 0)
		return fd;
	made = mkdirat(fd, RANGES_DIR, 0700);
	ret = made && errno != EEXIST ? -errno :
	      openat(fd, RANGES_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret == -1)
		ret = -errno;
	close(fd);
	return *path || ret < 0 ? ret : -ENOMEM;
}

int pp_scratch_make(struct pp_scratch *scratch, bool on_disk)
{
	char *parent = NULL, name[48];
	int ranges = on_disk ? -ENOSPC : open_in_memory(&parent), dir = -EAGAIN, ret;

	if (ranges < 0)
		ranges = open_in_cache(&parent);
	if (ranges < 0)
		return ranges;
	delete_left(ranges);
	for (int i = 0; i < MAX_NAMES && dir == -EAGAIN; i++) {
		snprintf(name, sizeof(name), "%d-%lld-%d", (int)getpid(), (long long)time(NULL), i);
		dir = make_locked(ranges, name);
	}
	close(ranges);
	if (dir < 0) {
		free(parent);
		return dir;
	}
	scratch->lock_fd = dir;
	scratch->dir = join(parent, name);
	free(parent);
	if (!scratch->dir)
		return -ENOMEM;
	if (mkdirat(dir, "samples", 0700))
		return -errno;
	ret = openat(dir, "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

void pp_scratch_release(struct pp_scratch *scratch)
{
	if (scratch->lock_fd >= 0)
		op_empty_dir(scratch->lock_fd);
	if (scratch->dir)
		rmdir(scratch->dir);
	free(scratch->dir);
	if (scratch->lock_fd >= 0)
		close(scratch->lock_fd);
	*scratch = (struct pp_scratch){ .lock_fd = -1 };
}
