// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path_dir.c -- a session's directory of call paths: opens and creates its files, and renames
 * damaged files.
 */
#include "config.h"
#include "daemon/store/path_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/store/sample_path.h"
#include "daemon/store/stats.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/hash.h"
#include "libop/session/path_files.h"

/* Add the sizes and the number of all files below the directory @name to *@bytes and *@nr. The
 * recursion is limited, because the paths of trees have a limited depth. */
static void add_up(int at, const char *name, uint64_t *bytes, unsigned long *nr)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (op_open_dir(at, name, &dir))
		return;
	while ((entry = op_next_entry(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode)) {
			add_up(dirfd(dir), entry->d_name, bytes, nr);
		} else {
			*bytes += (uint64_t)st.st_size;
			++*nr;
		}
	}
	closedir(dir);
}

/* Return a number that identifies the current boot of the machine. If the kernel provides no boot
 * id, return the time. */
static uint64_t this_boot(void)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC), err;
	char id[64];
	size_t len;

	if (fd < 0)
		return (uint64_t)time(NULL);
	err = op_read_all(fd, id, sizeof(id), &len);
	close(fd);
	return err || !len ? (uint64_t)time(NULL) : op_hash_bytes(OP_HASH_BEGIN, id, len);
}

static int rename_aside(const struct opd_path_dir *d, const char *path)
{
	const char *base;
	char *to;
	int dir = opd_open_parent(d->session->current_fd, path, &base, NULL), err = 0;

	if (dir < 0)
		return dir;
	if (asprintf(&to, "%.200s" OP_TREE_ASIDE, base) < 0) {
		err = -ENOMEM;
	} else {
		if (renameat(dir, base, dir, to))
			err = -errno;
		free(to);
	}
	close(dir);
	return err;
}

/* Rename a file that is damaged or has a newer version, so that a new file can be created. @cause:
 * the error of libdb. Reports do not read the renamed file. Return 0 or a negative errno. */
static int set_aside(struct opd_path_dir *d, const char *path, int cause)
{
	const char *text = cause == ODB_ERR_VERSION ? "has a newer version" :
						      "was damaged beyond repair";
	int err = rename_aside(d, path);

	if (err) {
		opd_log(d->log, OPD_WARN, "%s %s: cannot rename it to *" OP_TREE_ASIDE ": %s", path,
			text, op_strerror(err));
		return err;
	}
	d->stats->v[OPD_STAT_SET_ASIDE]++;
	opd_log(d->log, OPD_WARN, "%s %s: renamed it to *" OP_TREE_ASIDE ", and began a new file",
		path, text);
	return 0;
}

static bool is_useless(int err)
{
	return err == ODB_ERR_FORMAT || err == ODB_ERR_TRUNCATED || err == ODB_ERR_GENERATION ||
	       err == ODB_ERR_VERSION;
}

/* Open the file @path, or create it if @may_make is true. Set *@made if the file was created.
 * Return a descriptor or a negative errno; -EFBIG: the file does not exist and @may_make is
 * false. */
static int open_file(struct opd_path_dir *d, const char *path, bool may_make, bool *made)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	unsigned long dirs = 0;
	const char *base;
	struct stat st;
	int dir = opd_open_parent(d->session->current_fd, path, &base, &dirs), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, base, flags);
	*made = fd < 0 && errno == ENOENT;
	if (*made)
		fd = may_make ? opd_make_file(dir, base, flags) : -1;
	if (fd < 0) {
		fd = *made && !may_make ? -EFBIG : -errno;
		*made = false;
	}
	close(dir);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

int opd_path_dir_frames(struct opd_path_dir *d, struct frames **ret)
{
	int err = -EIO;

	for (int attempt = 0; attempt < 2; attempt++) {
		bool made;
		int fd = open_file(d, OP_PATHS_FRAMES, true, &made);

		if (fd < 0)
			return fd;
		err = frames_open(ret, fd, ODB_WRITE, this_boot());
		if (!err)
			break;
		close(fd);
		if (!is_useless(err) || set_aside(d, OP_PATHS_FRAMES, err))
			return err;
	}
	return err;
}

int opd_path_dir_tree(struct opd_path_dir *d, const char *path, uint64_t generation, bool may_make,
		      struct tree **ret, bool *made)
{
	int err = -EIO;

	for (int attempt = 0; attempt < 2; attempt++) {
		int fd = open_file(d, path, may_make, made);

		if (fd < 0)
			return fd;
		err = tree_open(ret, fd, ODB_WRITE, generation);
		if (!err)
			return 0;
		close(fd);
		if (!is_useless(err) || set_aside(d, path, err))
			break;
	}
	return err;
}

void opd_path_dir_add_up(const struct opd_path_dir *d, uint64_t *bytes, unsigned long *nr)
{
	*bytes = *nr = 0;
	add_up(d->session->current_fd, OP_PATHS_DIR "/root", bytes, nr);
	add_up(d->session->current_fd, OP_PATHS_DIR "/kern", bytes, nr);
}
