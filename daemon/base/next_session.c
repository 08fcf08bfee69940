// SPDX-License-Identifier: GPL-2.0-or-later
/* next_session.c -- preparation of the next session, and its exchange with the current session. */
#include "config.h"
#include "daemon/base/next_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/deleter.h"
#include "daemon/base/session.h"
#include "libop/base/dir.h"
#include "libop/session/paths.h"

/* maximum number of names to try when a directory is renamed to a name that marks it for
 * deletion */
#define MAX_NAMES	1000

int opd_session_may_save(const struct opd_session *s, const char *name)
{
	int has;

	if (!op_session_name_ok(name))
		return -EINVAL;
	if (faccessat(s->samples_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	has = op_session_has_samples(s->current_fd);
	if (has > 0)
		return 0;
	return has ? has : -ENODATA;
}

/*
 * Rename a file without replacing an existing file. If the file system does not support
 * RENAME_NOREPLACE, check first that the new name does not exist. This is safe, because only the
 * daemon creates files in these directories.
 */
static int rename_to_new(int from_fd, const char *from, int to_fd, const char *to)
{
	if (renameat2(from_fd, from, to_fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	if (faccessat(to_fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(from_fd, from, to_fd, to) < 0 ? -errno : 0;
}

/* Move the entry @from of the directory @dirfd to samples/ under a name that marks it for
 * deletion. Copy this name to @to. */
static int rename_away(const struct opd_session *s, int dirfd, const char *from, char *to,
		       size_t size)
{
	int err = -EEXIST;

	for (int i = 0; i < MAX_NAMES && err == -EEXIST; i++) {
		snprintf(to, size, OP_DELETED_PREFIX "%d-%d", (int)getpid(), i);
		err = rename_to_new(dirfd, from, s->samples_fd, to);
	}
	return err;
}

/* Create the next session's directory under a name that marks it for deletion. The directory gets
 * another name when it becomes the current session. If this daemon is killed before that, the next
 * daemon deletes the directory. */
int opd_session_prepare(struct opd_session *s)
{
	int made = 0, fd = -EEXIST;

	opd_session_discard_next(s);
	for (int i = 0; i < MAX_NAMES && !made; i++) {
		snprintf(s->next, sizeof(s->next), OP_DELETED_PREFIX "%d-%d", (int)getpid(), i);
		fd = opd_open_dir_at(s->samples_fd, s->next, 0755, &made);
		if (fd < 0)
			return fd;
		if (!made)
			close(fd);
	}
	if (!made)
		return -EEXIST;
	s->next_fd = fd;
	/* Share the file of kernel symbols with the new session by a hard link. This is safe,
	 * because the daemon never modifies this file, but only replaces it. If the file system has
	 * no hard links, the daemon writes the symbols again. */
	if (linkat(s->current_fd, OP_KERNEL_SYMS_FILE, fd, OP_KERNEL_SYMS_FILE, 0) < 0)
		errno = 0;
	return 0;
}

void opd_session_discard_next(struct opd_session *s)
{
	if (s->next_fd < 0)
		return;
	op_empty_dir(s->next_fd);
	close(s->next_fd);
	s->next_fd = -1;
	unlinkat(s->samples_fd, s->next, AT_REMOVEDIR);
}

/* Exchange the current and the next session by two renames, for file systems without
 * RENAME_EXCHANGE. The current session gets the name @old. */
static int rename_both(const struct opd_session *s, const char *next, int dirfd, const char *old)
{
	int err = rename_to_new(s->samples_fd, OPD_CURRENT, dirfd, old);

	if (err)
		return err;
	err = rename_to_new(s->samples_fd, next, s->samples_fd, OPD_CURRENT);
	if (err)
		renameat(dirfd, old, s->samples_fd, OPD_CURRENT);
	return err;
}

static bool cannot_exchange(int error)
{
	return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/* Make the directory of opd_session_prepare() the current session. The old session gets the name
 * that this directory had. */
static int exchange(struct opd_session *s)
{
	char old[sizeof(s->next) + 4];
	int err = 0;

	if (renameat2(s->samples_fd, s->next, s->samples_fd, OPD_CURRENT, RENAME_EXCHANGE) < 0)
		err = -errno;
	if (err && cannot_exchange(-err)) {
		snprintf(old, sizeof(old), "%s.old", s->next);
		err = rename_both(s, s->next, s->samples_fd, old);
		if (!err)
			strcpy(s->next, old);
	}
	return err;
}

/*
 * Make the directory of opd_session_prepare() the current session, and rename the old session to
 * @name in @dirfd. To do so, first rename the prepared directory to @name; then exchange the names
 * of the two directories.
 */
static int exchange_with_name(struct opd_session *s, int dirfd, const char *name)
{
	int err = rename_to_new(s->samples_fd, s->next, dirfd, name);

	if (err)
		return err;
	if (renameat2(dirfd, name, s->samples_fd, OPD_CURRENT, RENAME_EXCHANGE) == 0)
		return 0;
	err = -errno;
	if (renameat(dirfd, name, s->samples_fd, s->next) < 0)
		return -errno;
	return cannot_exchange(-err) ? rename_both(s, s->next, dirfd, name) : err;
}

static void open_next(struct opd_session *s)
{
	close(s->current_fd);
	s->current_fd = s->next_fd;
	s->next_fd = -1;
}

int opd_session_close(struct opd_session *s, int dirfd, const char *name)
{
	int err = s->next_fd < 0 ? opd_session_prepare(s) : 0;

	if (!err)
		err = exchange_with_name(s, dirfd, name);
	if (err)
		opd_session_discard_next(s);
	else
		open_next(s);
	return err;
}

int opd_session_delete(const struct opd_session *s, int dirfd, const char *name)
{
	char to[sizeof(s->next)];
	const char *const names[] = { to };
	int err = rename_away(s, dirfd, name, to, sizeof(to));

	/* Ignore an error of the deletion: the next daemon deletes the entry. */
	if (!err)
		opd_delete_later(s->samples_fd, names, 1);
	return err == -ENOENT ? 0 : err;
}

int opd_session_save(struct opd_session *s, const char *name)
{
	int err = opd_session_may_save(s, name);

	if (!err)
		return opd_session_close(s, s->samples_fd, name);
	opd_session_discard_next(s);
	return err;
}

int opd_session_reset(struct opd_session *s)
{
	const char *const names[] = { s->next };
	int err = s->next_fd < 0 ? opd_session_prepare(s) : 0;

	if (!err)
		err = exchange(s);
	if (err) {
		opd_session_discard_next(s);
		return err;
	}
	open_next(s);
	/* Ignore an error of opd_delete_later(): the next daemon deletes the old session. */
	opd_delete_later(s->samples_fd, names, 1);
	return 0;
}

static bool stays(const char *name)
{
	return !strcmp(name, OP_STATS_DIR) || !strcmp(name, OP_KERNEL_SYMS_FILE);
}

struct moved {
	/* name of the entry in the session that is being emptied */
	char name[256];
	/* new name of the entry in samples/; the name marks the entry for deletion */
	char to[64];
};

static void move_back(const struct opd_session *s, const struct moved *moved, size_t nr)
{
	while (nr--)
		renameat(s->samples_fd, moved[nr].to, s->current_fd, moved[nr].name);
}

int opd_session_empty(struct opd_session *s)
{
	/* maximum number of the session's directory entries to move; a session has about a dozen
	 * entries */
	enum { MAX_MOVED = 32 };
	struct moved moved[MAX_MOVED];
	const char *names[MAX_MOVED];
	struct dirent *d;
	size_t nr = 0;
	DIR *dir;
	int err = op_open_dir(s->current_fd, ".", &dir);

	if (err)
		return err;
	while (!err && nr < MAX_MOVED && (d = op_next_entry(dir))) {
		if (stays(d->d_name))
			continue;
		snprintf(moved[nr].name, sizeof(moved[nr].name), "%s", d->d_name);
		err = rename_away(s, s->current_fd, d->d_name, moved[nr].to, sizeof(moved[nr].to));
		names[nr] = moved[nr].to;
		nr += !err;
	}
	closedir(dir);
	if (err) {
		move_back(s, moved, nr);
		return err;
	}
	if (nr)
		opd_delete_later(s->samples_fd, names, nr);
	return 0;
}
