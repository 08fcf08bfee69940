// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c -- the session directory: its lock, and the current session in samples/current.
 */
#include "config.h"
#include "daemon/base/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/deleter.h"
#include "daemon/base/next_session.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/base/owner.h"
#include "libop/base/quota.h"
#include "libop/session/paths.h"

#define RESERVE		".reserve"
#define RESERVE_BYTES	65536
/* maximum number of directories, left by earlier daemons, whose deletion a daemon completes when it
 * starts */
#define MAX_LEFT	64

int opd_open_dir_at(int dirfd, const char *name, mode_t mode, int *made)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dirfd, name, flags), err;
	struct stat st;

	if (made)
		*made = 0;
	if (fd < 0 && errno == ENOENT && made) {
		err = op_quota_request_dir(OP_QUOTA_SAMPLES);
		if (err)
			return err;
		*made = mkdirat(dirfd, name, mode) == 0;
		if (!*made && errno != EEXIST)
			return -errno;
		fd = openat(dirfd, name, flags);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !op_owner_trusted(st.st_uid)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int opd_make_file(int dirfd, const char *name, int flags)
{
	int err = op_quota_request_name(OP_QUOTA_SAMPLES);

	if (err) {
		errno = -err;
		return -1;
	}
	return openat(dirfd, name, flags | O_CREAT | O_EXCL, 0644);
}

/* Open the session directory, or create it. Follow symbolic links, because the administrator chose
 * this path. */
static int open_top(const char *dir)
{
	char *copy, *p;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	copy = strdup(dir);
	if (!copy)
		return -ENOMEM;
	for (p = copy + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
	mkdir(copy, 0755);
	free(copy);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_part(int *fd, int dirfd, const char *name, mode_t mode, const char *path,
		     struct op_reason *error)
{
	int made;

	*fd = opd_open_dir_at(dirfd, name, mode, &made);
	if (*fd >= 0)
		return op_owner_check(*fd, path, error);
	return op_fail(error, *fd, "cannot open or make %s: %s%s", path, strerror(-*fd),
		       *fd == -ELOOP || *fd == -ENOTDIR ?
		       " (it must be a directory, not a link: remove it)" :
		       *fd == -EPERM ? " (it belongs to another user: remove it)" : "");
}

/* Remove other users' permissions on the directory samples/. An earlier version of the daemon may
 * have granted them. */
static int close_to_others(struct opd_session *s, struct op_reason *error)
{
	mode_t mode = s->group == (gid_t)-1 ? 0700 : 0750;
	int err;

	if (fchown(s->samples_fd, (uid_t)-1, s->group) == 0 && fchmod(s->samples_fd, mode) == 0)
		return 0;
	err = -errno;
	return op_fail(error, err, "cannot change the group of %s to %d and remove other users' "
				   "permissions: %s",
		       s->paths.samples, (int)s->group, strerror(-err));
}

int opd_session_open(struct opd_session *s, const char *dir, gid_t group, struct op_reason *error)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->group = group;
	s->dir_fd = s->samples_fd = s->current_fd = s->next_fd = s->lock_fd = -1;
	err = op_session_paths_init(&s->paths, dir);
	if (err)
		return op_fail(error, err, "cannot use the name of the session directory: "
					   "%s", strerror(-err));
	s->dir_fd = open_top(s->paths.dir);
	if (s->dir_fd < 0) {
		err = s->dir_fd;
		return op_fail(error, err, "cannot open or make the session directory %s: %s%s",
			       s->paths.dir, strerror(-err),
			       err == -EACCES ? " (run as root, or choose another --session-dir)"
					      : "");
	}
	err = op_owner_check(s->dir_fd, s->paths.dir, error);
	if (!err)
		err = open_part(&s->samples_fd, s->dir_fd, "samples", 0700, s->paths.samples,
				error);
	if (!err)
		err = close_to_others(s, error);
	if (!err)
		err = open_part(&s->current_fd, s->samples_fd, OPD_CURRENT, 0755, s->paths.current,
				error);
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void opd_session_release(struct opd_session *s)
{
	opd_session_discard_next(s);
	opd_session_unlock(s);
	close_fd(&s->current_fd);
	close_fd(&s->samples_fd);
	close_fd(&s->dir_fd);
	op_session_paths_release(&s->paths);
}

/* Delete the directories that an earlier daemon marked for deletion but did not delete
 * completely. */
static void finish_deleting(struct opd_session *s)
{
	char *names[MAX_LEFT];
	struct dirent *d;
	size_t nr = 0;
	DIR *dir;

	if (op_open_dir(s->samples_fd, ".", &dir) < 0)
		return;
	while (nr < MAX_LEFT && (d = op_next_entry(dir))) {
		if (strncmp(d->d_name, OP_DELETED_PREFIX, strlen(OP_DELETED_PREFIX)))
			continue;
		names[nr] = strdup(d->d_name);
		nr += names[nr] != NULL;
	}
	closedir(dir);
	if (nr)
		opd_delete_later(s->samples_fd, (const char *const *)names, nr);
	while (nr)
		free(names[--nr]);
}

static bool is_gone(pid_t pid)
{
	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/*
 * Lock the file "lock", open as @fd. Only the owner may have access to the file, because a process
 * that can open a file can also lock it. Earlier versions created a lock file that other users
 * could open: remove a lock file with such permissions, even if it is locked, unless it contains
 * the pid of a running daemon. Return 0; -EAGAIN if this function or another daemon removed the
 * file; or -EBUSY.
 */
static int lock_file(struct opd_session *s, int fd, pid_t *holder)
{
	struct stat ours, there;
	int err = 0;

	/* Check the file that was opened: in a directory such as /tmp, another user may have
	 * created the file "lock", or made the name "lock" a link to another file. */
	if (fstat(fd, &ours) < 0 || !S_ISREG(ours.st_mode) || ours.st_nlink > 1 ||
	    !op_owner_trusted(ours.st_uid))
		return -EPERM;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		*holder = op_read_pid(fd);
		if (!(ours.st_mode & 077) || !is_gone(*holder))
			return err;
	}
	if (fstatat(s->dir_fd, "lock", &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	    ours.st_ino != there.st_ino || ours.st_dev != there.st_dev)
		return -EAGAIN;
	if (!(ours.st_mode & 077))
		return 0;
	if (unlinkat(s->dir_fd, "lock", 0) < 0)
		return -errno;
	return -EAGAIN;
}

int opd_session_lock(struct opd_session *s, pid_t *holder)
{
	struct stat there;
	char text[32];
	bool existed;
	int len, fd, err;

	do {
		existed = fstatat(s->dir_fd, "lock", &there, AT_SYMLINK_NOFOLLOW) == 0;
		fd = openat(s->dir_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		err = lock_file(s, fd, holder);
		if (err)
			close(fd);
	} while (err == -EAGAIN);
	if (err)
		return err;
	len = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, len, 0) != len) {
		int err = errno ? -errno : -EIO;

		if (!existed)
			unlinkat(s->dir_fd, "lock", 0);
		close(fd);
		return err;
	}
	s->lock_fd = fd;
	finish_deleting(s);
	return 0;
}

void opd_session_unlock(struct opd_session *s)
{
	if (s->lock_fd < 0)
		return;
	opd_session_free_reserve(s);
	unlinkat(s->dir_fd, "lock", 0);
	close_fd(&s->lock_fd);
}

void opd_session_create_reserve(struct opd_session *s)
{
	int fd;

	if (s->reserve || op_quota_request(OP_QUOTA_OTHERS, RESERVE_BYTES + 3 * OP_QUOTA_BLOCK))
		return;
	fd = openat(s->samples_fd, RESERVE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	s->reserve = fallocate(fd, 0, 0, RESERVE_BYTES) == 0;
	close(fd);
	if (!s->reserve)
		unlinkat(s->samples_fd, RESERVE, 0);
}

void opd_session_free_reserve(struct opd_session *s)
{
	unlinkat(s->samples_fd, RESERVE, 0);
	s->reserve = false;
}
