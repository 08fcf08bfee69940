// SPDX-License-Identifier: GPL-2.0-or-later
/* dir_bytes.c -- the bytes that trees of directories use on the disk. */
#include "config.h"
#include "libop/base/dir_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/grow.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* The walk keeps the descriptors of this many levels open. */
#define MAX_OPEN	64
#define LEAST_NAMES	1024

/* A file with several hard links. */
struct linked {
	struct op_hash_link link;
	dev_t dev;
	ino_t ino;
};

/* A directory between the top and the place of the walk. */
struct level {
	int fd;			/* -1: closed */
	dev_t dev;
	ino_t ino;
	/* the names of its directories, each with its zero byte; .at: the next one to visit, .here:
	 * the one that is being visited */
	char *names;
	size_t len, max, at, here;
};

struct walk {
	struct op_dir_sum *sum;
	struct level *levels;
	size_t nr;
};

static void close_level(struct level *level)
{
	if (level->fd >= 0)
		close(level->fd);
	level->fd = -1;
}

static int add_name(struct level *level, const char *name)
{
	size_t len = strlen(name) + 1, max = level->max ? level->max : LEAST_NAMES;
	char *names;

	while (max < level->len + len)
		max *= 2;
	if (max != level->max) {
		names = realloc(level->names, max);
		if (!names)
			return -ENOMEM;
		level->names = names;
		level->max = max;
	}
	memcpy(level->names + level->len, name, len);
	level->len += len;
	return 0;
}

/* Return 1 if the file is counted already, 0 if it must be counted now, or -ENOMEM. */
static int is_counted(struct op_dir_sum *sum, const struct stat *st)
{
	uint64_t hash = op_hash_number(op_hash_number(OP_HASH_BEGIN, st->st_dev), st->st_ino);
	struct op_hash_link *link;
	struct linked *file;

	if (!sum->links.nr_buckets && op_hash_init(&sum->links))
		return -ENOMEM;
	for (link = op_hash_first(&sum->links, hash); link; link = op_hash_next(link)) {
		file = (struct linked *)link;
		if (file->dev == st->st_dev && file->ino == st->st_ino)
			return 1;
	}
	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	op_hash_add(&sum->links, &file->link, hash);
	return 0;
}

static bool is_watched(const struct op_dir_sum *sum, const struct level *level)
{
	for (size_t i = 0; i < OP_DIR_WATCHED; i++)
		if (sum->watched[i].ino && sum->watched[i].ino == level->ino &&
		    sum->watched[i].dev == level->dev)
			return true;
	return false;
}

/* Count the entries of a directory, and collect the names of its directories. */
static int count_entries(struct walk *w, struct level *level, DIR *dir)
{
	const bool watched = is_watched(w->sum, level);
	struct dirent *d;
	struct stat st;
	int err = 0;

	for (errno = 0; !err && (d = op_next_entry(dir)); errno = 0) {
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
			err = errno == ENOENT ? 0 : -errno;
			continue;
		}
		if (S_ISDIR(st.st_mode))
			err = add_name(level, d->d_name);
		else if (st.st_nlink > 1)
			err = is_counted(w->sum, &st);
		if (!err)
			w->sum->bytes += (uint64_t)st.st_blocks * 512;
		if (!err && watched && S_ISREG(st.st_mode))
			w->sum->watched_bytes += (uint64_t)st.st_blocks * 512;
		err = err < 0 ? err : 0;
	}
	return err ? err : -errno;
}

/* Enter the directory @fd. The walk closes @fd. */
static int enter(struct walk *w, int fd)
{
	struct level level = { .fd = fd };
	struct stat st;
	DIR *dir = NULL;
	int err = fstat(fd, &st) ? -errno : op_open_dir(fd, ".", &dir);

	if (!err) {
		level.dev = st.st_dev;
		level.ino = st.st_ino;
		err = count_entries(w, &level, dir);
		closedir(dir);
	}
	if (!err)
		err = op_grow(&w->levels, w->nr);
	if (err) {
		close_level(&level);
		free(level.names);
		/* A directory that was deleted in the meantime has no entries. */
		return err == -ENOENT && w->nr ? 0 : err;
	}
	w->levels[w->nr++] = level;
	if (w->nr > MAX_OPEN + 1)
		close_level(&w->levels[w->nr - 1 - MAX_OPEN]);
	return 0;
}

static bool is_level(int fd, const struct level *level)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == level->dev && st.st_ino == level->ino;
}

/* Open the closed directory of the last level again, beginning at the top. Return 0, -ENOENT if it
 * was deleted, or another negative errno. */
static int reopen(struct walk *w)
{
	int fd = w->levels[0].fd, next;

	for (size_t i = 1; i < w->nr; i++) {
		const struct level *above = &w->levels[i - 1];
		int err;

		next = openat(fd, above->names + above->here, OPEN_DIR);
		err = next < 0 ? -errno : 0;
		if (i > 1)
			close(fd);
		fd = next;
		if (!err && !is_level(fd, &w->levels[i])) {
			close(fd);
			err = -EAGAIN;
		}
		if (err)
			return err;
	}
	w->levels[w->nr - 1].fd = fd;
	return 0;
}

/* Leave the last directory. The one above is opened again if it is still needed. */
static void leave(struct walk *w)
{
	struct level *level = &w->levels[--w->nr], *above = level - 1;
	int fd;

	if (w->nr && above->fd < 0 && above->at < above->len) {
		fd = openat(level->fd, "..", OPEN_DIR);
		if (fd >= 0 && is_level(fd, above))
			above->fd = fd;
		else if (fd >= 0)
			close(fd);
	}
	close_level(level);
	free(level->names);
}

/* Continue the walk with the next directory. */
static int step(struct walk *w)
{
	struct level *level = &w->levels[w->nr - 1];
	int fd, err = 0;

	if (level->fd < 0 && level->at < level->len)
		err = reopen(w);
	if (err == -ENOENT)
		level->at = level->len;
	else if (err)
		return err;
	if (level->at == level->len) {
		leave(w);
		return 0;
	}
	level->here = level->at;
	level->at += strlen(level->names + level->here) + 1;
	fd = openat(level->fd, level->names + level->here, OPEN_DIR);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return enter(w, fd);
}

int op_dir_sum_add(struct op_dir_sum *sum, int dirfd)
{
	struct walk w = { .sum = sum };
	int fd = openat(dirfd, ".", OPEN_DIR), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
		close(fd);
		return err;
	}
	sum->bytes += (uint64_t)st.st_blocks * 512;
	err = enter(&w, fd);
	while (!err && w.nr)
		err = step(&w);
	while (w.nr)
		leave(&w);
	free(w.levels);
	return err;
}

static bool free_linked(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free((struct linked *)link);
	return true;
}

void op_dir_sum_release(struct op_dir_sum *sum)
{
	op_hash_filter(&sum->links, free_linked, NULL);
	op_hash_release(&sum->links);
	*sum = (struct op_dir_sum){ .bytes = 0 };
}

int op_dir_bytes(int dirfd, uint64_t *ret)
{
	struct op_dir_sum sum = { .bytes = 0 };
	int err = op_dir_sum_add(&sum, dirfd);

	if (!err)
		*ret = sum.bytes;
	op_dir_sum_release(&sum);
	return err;
}
