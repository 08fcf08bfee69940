// SPDX-License-Identifier: GPL-2.0-or-later
/* dir_bytes.c -- counting of the disk space that a directory and everything below it uses. */
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
/* maximum number of directory levels for which the walk keeps a descriptor open */
#define MAX_OPEN	64
#define LEAST_NAMES	1024
/* maximum number of entries that one call of op_dir_walk_step() counts */
#define STEP_ENTRIES	64

/* A file with several hard links that was already counted. */
struct linked {
	struct op_hash_link link;
	dev_t dev;
	ino_t ino;
};

/* A level of the walk: one of the directories on the path from the top of the tree to the current
 * directory. */
struct level {
	int fd;			/* descriptor of the directory; -1: closed */
	dev_t dev;
	ino_t ino;
	/* names of the level's subdirectories, each with a NUL; .at: offset of the name to visit
	 * next; .here: offset of the name that is being visited */
	char *names;
	size_t len, max, at, here;
};

struct op_dir_walk {
	struct op_dir_sum *sum;
	struct level *levels;
	size_t nr;
	/* directory stream of the last level while the level's entries are being counted; NULL: all
	 * these entries are counted */
	DIR *dir;
	/* number of levels when the walk entered the directory w->sum->part; 0: the walk is not in
	 * this directory */
	size_t part_level;
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

/* Return 1 if the file was counted before. Otherwise remember the file, and return 0, or
 * -ENOMEM. */
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

static bool is_level(const struct op_dir_id *id, const struct level *level)
{
	return id->ino && id->ino == level->ino && id->dev == level->dev;
}

static bool is_watched(const struct op_dir_sum *sum, const struct level *level)
{
	for (size_t i = 0; i < OP_DIR_WATCHED; i++)
		if (is_level(&sum->watched[i], level))
			return true;
	return false;
}

/* Count the entry @name of the last level's directory. If the entry is a directory, store its
 * name. */
static int count_entry(struct op_dir_walk *w, const char *name, const struct stat *st)
{
	struct level *level = &w->levels[w->nr - 1];
	const uint64_t bytes = (uint64_t)st->st_blocks * 512;
	int err = 0;

	if (S_ISDIR(st->st_mode))
		err = add_name(level, name);
	else if (st->st_nlink > 1)
		err = is_counted(w->sum, st);
	if (err < 0)
		return err;
	if (w->part_level)
		w->sum->part_bytes += bytes;
	if (err)
		return 0;
	w->sum->bytes += bytes;
	if (S_ISREG(st->st_mode) && is_watched(w->sum, level))
		w->sum->watched_bytes += bytes;
	return 0;
}

/* Count the next entries of the last level's directory. If the directory was deleted, treat it as
 * complete. */
static int count_entries(struct op_dir_walk *w)
{
	struct dirent *d = NULL;
	struct stat st;
	int err = 0;

	for (int i = 0; i < STEP_ENTRIES && !err; i++) {
		errno = 0;
		d = op_next_entry(w->dir);
		if (!d) {
			err = errno == ENOENT ? 0 : -errno;
			break;
		}
		if (!fstatat(dirfd(w->dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			err = count_entry(w, d->d_name, &st);
		else if (errno != ENOENT)
			err = -errno;
	}
	if (!d || err) {
		closedir(w->dir);
		w->dir = NULL;
	}
	return err;
}

/* Enter the directory @fd: add it to the path as the last level. The walk closes @fd. */
static int enter(struct op_dir_walk *w, int fd)
{
	struct level level = { .fd = fd };
	struct stat st;
	int err = fstat(fd, &st) ? -errno : op_grow(&w->levels, w->nr);

	if (!err)
		err = op_open_dir(fd, ".", &w->dir);
	if (err) {
		w->dir = NULL;
		close_level(&level);
		return err == -ENOENT && w->nr ? 0 : err;
	}
	level.dev = st.st_dev;
	level.ino = st.st_ino;
	w->levels[w->nr++] = level;
	if (!w->part_level && is_level(&w->sum->part, &level)) {
		w->part_level = w->nr;
		w->sum->part_bytes = (uint64_t)st.st_blocks * 512;
	}
	if (w->nr > MAX_OPEN + 1)
		close_level(&w->levels[w->nr - 1 - MAX_OPEN]);
	return 0;
}

static bool is_same(int fd, const struct level *level)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == level->dev && st.st_ino == level->ino;
}

/* The descriptor of the last level's directory was closed. Open the directory again by its path
 * from the top. Return 0, -ENOENT if the directory was deleted, or another negative errno. */
static int reopen(struct op_dir_walk *w)
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
		if (!err && !is_same(fd, &w->levels[i])) {
			close(fd);
			err = -EAGAIN;
		}
		if (err)
			return err;
	}
	w->levels[w->nr - 1].fd = fd;
	return 0;
}

/* Remove the last level. If the directory above it is closed and still needed, open that directory
 * again. */
static void pop_level(struct op_dir_walk *w)
{
	struct level *level = &w->levels[--w->nr], *above = level - 1;
	int fd;

	if (w->nr && above->fd < 0 && above->at < above->len) {
		fd = openat(level->fd, "..", OPEN_DIR);
		if (fd >= 0 && is_same(fd, above))
			above->fd = fd;
		else if (fd >= 0)
			close(fd);
	}
	if (w->nr < w->part_level)
		w->part_level = 0;
	close_level(level);
	free(level->names);
}

/* Do the next step of the walk: count some entries, or enter or leave a directory. */
static int step(struct op_dir_walk *w)
{
	struct level *level = &w->levels[w->nr - 1];
	int fd, err = 0;

	if (w->dir)
		return count_entries(w);
	if (level->fd < 0 && level->at < level->len)
		err = reopen(w);
	if (err == -ENOENT)
		level->at = level->len;
	else if (err)
		return err;
	if (level->at == level->len) {
		pop_level(w);
		return 0;
	}
	level->here = level->at;
	level->at += strlen(level->names + level->here) + 1;
	fd = openat(level->fd, level->names + level->here, OPEN_DIR);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return enter(w, fd);
}

int op_dir_walk_begin(struct op_dir_walk **ret, struct op_dir_sum *sum, int dirfd)
{
	struct op_dir_walk *w;
	struct stat st;
	int fd = openat(dirfd, ".", OPEN_DIR), err;

	if (fd < 0)
		return -errno;
	w = calloc(1, sizeof(*w));
	err = !w ? -ENOMEM : fstat(fd, &st) ? -errno : 0;
	if (err) {
		close(fd);
		free(w);
		return err;
	}
	w->sum = sum;
	sum->bytes += (uint64_t)st.st_blocks * 512;
	err = enter(w, fd);
	if (err)
		op_dir_walk_end(w);
	else
		*ret = w;
	return err;
}

int op_dir_walk_step(struct op_dir_walk *w)
{
	int err = w->nr ? step(w) : 0;

	return err ? err : w->nr > 0;
}

void op_dir_walk_end(struct op_dir_walk *w)
{
	if (!w)
		return;
	if (w->dir)
		closedir(w->dir);
	while (w->nr)
		pop_level(w);
	free(w->levels);
	free(w);
}

int op_dir_sum_add(struct op_dir_sum *sum, int dirfd)
{
	struct op_dir_walk *w;
	int err = op_dir_walk_begin(&w, sum, dirfd);

	if (err)
		return err;
	do {
		err = op_dir_walk_step(w);
	} while (err > 0);
	op_dir_walk_end(w);
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
