// SPDX-License-Identifier: GPL-2.0-or-later
/* table_files.c -- a directory of symbol and unwind tables whose total size is limited: adding,
 * using and evicting tables. */
#include "config.h"
#include "libop/session/table_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/quota.h"
#include "libop/session/identity.h"

#define MAX_TABLES	100000
#define NEW_PREFIX	"new."
#define MAX_TRIES	8	/* maximum number of random names that are tried for a new table */
/* after a process has added 1/COUNT_PART of the directory's size limit, it counts all tables
 * again */
#define COUNT_PART	16
/* maximum size of one table: 1/TABLE_PART of the directory's size limit */
#define TABLE_PART	2
/* minimum time in seconds between two updates of the time at which a table was last used */
#define USE_S		3600

struct on_disk {
	char name[OP_TABLE_NAME_SIZE];
	uint32_t user;
	int64_t used;
	uint64_t bytes;
};

/* The tables of one user in the sorted array of tables: @nr tables from .oldest on. .bytes is their
 * total size. */
struct holder {
	const struct on_disk *oldest;
	size_t nr;
	uint64_t bytes;
};

/* Compare two tables by user, then by time of use. Sorting thus puts the least recently used table
 * of each user first. */
static int compare_tables(const void *a, const void *b)
{
	const struct on_disk *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return x->used < y->used ? -1 : x->used > y->used;
}

/* Return the user (payer) who owns the binary that the table @name describes. The name, from
 * op_table_name(), ends with the owner's id. */
static uint32_t user_of(const struct op_table_files *f, const char *name)
{
	const char *dash = strrchr(name, '-');

	return op_id_ranges_payer(&f->ranges, dash ? (uint32_t)strtoul(dash + 1, NULL, 10) : 0);
}

/* Remove the unfinished table @name if no process has locked it: a process that is writing a table
 * holds a lock on the table. */
static void remove_if_left(const struct op_table_files *f, const char *name)
{
	int fd = openat(f->dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(f->dir_fd, name, 0);
	close(fd);
}

/* Set *@ret to an array, which the caller frees, of the tables whose names contain @suffix (NULL:
 * of all tables). Remove unfinished tables of killed processes. Return the number of elements. */
static size_t list_tables(struct op_table_files *f, const char *suffix, struct on_disk **ret)
{
	struct on_disk *found = NULL;
	size_t nr = 0;
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(f->dir_fd, ".", &dir))
		dir = NULL;
	while (dir && (d = op_next_entry(dir))) {
		struct stat st;

		if (fstatat(f->dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!S_ISREG(st.st_mode))
			continue;
		if (!strncmp(d->d_name, NEW_PREFIX, strlen(NEW_PREFIX))) {
			remove_if_left(f, d->d_name);
			continue;
		}
		if (strlen(d->d_name) >= sizeof(found->name) ||
		    (suffix && !strstr(d->d_name, suffix)))
			continue;
		if (op_grow(&found, nr))
			break;
		strcpy(found[nr].name, d->d_name);
		found[nr].user = user_of(f, d->d_name);
		found[nr].used = st.st_mtime;
		found[nr++].bytes = (uint64_t)st.st_blocks * 512;
	}
	if (dir)
		closedir(dir);
	*ret = found;
	return nr;
}

/* Set *@ret to an array, which the caller frees, with an element for each user with tables.
 * @tables must be sorted by user. Return the number of elements. */
static size_t list_holders(const struct on_disk *tables, size_t nr_tables, struct holder **ret)
{
	struct holder *found = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < nr_tables; i++) {
		if (!i || tables[i].user != tables[i - 1].user) {
			if (op_grow(&found, nr))
				break;
			found[nr++] = (struct holder){ .oldest = &tables[i] };
		}
		found[nr - 1].nr++;
		found[nr - 1].bytes += tables[i].bytes;
	}
	*ret = found;
	return nr;
}

/* Return the user whose table to evict next. All users use the tables of root's binaries, so evict
 * root's tables only if no other user has more than a quarter of the limit. */
static struct holder *choose_victim(struct holder *holders, size_t nr, bool by_number,
				    uint64_t limit)
{
	struct holder *most = NULL, *most_of_users = NULL;
	uint64_t has = 0, user_has = 0;

	for (struct holder *h = holders; h < holders + nr; h++) {
		const uint64_t size = by_number ? h->nr : h->bytes;

		if (size > has) {
			has = size;
			most = h;
		}
		if (h->nr && h->oldest->user && size > user_has) {
			user_has = size;
			most_of_users = h;
		}
	}
	return user_has > limit / 4 ? most_of_users : most;
}

static void remove_oldest(struct op_table_files *f, struct holder *h)
{
	unlinkat(f->dir_fd, h->oldest->name, 0);
	f->bytes -= h->oldest->bytes;
	h->bytes -= h->oldest->bytes;
	f->nr--;
	h->nr--;
	h->oldest++;
}

/* Count the tables whose names contain @suffix (NULL: all tables). If their size exceeds @limit,
 * evict tables until the size is an eighth below the limit. */
static void evict(struct op_table_files *f, const char *suffix, uint64_t limit)
{
	struct holder *holders, *victim = NULL;
	struct on_disk *tables;
	size_t nr_holders;

	f->bytes = f->added_bytes = 0;
	f->added_nr = 0;
	f->nr = list_tables(f, suffix, &tables);
	if (f->nr)
		qsort(tables, f->nr, sizeof(*tables), compare_tables);
	for (size_t i = 0; i < f->nr; i++)
		f->bytes += tables[i].bytes;
	if (f->bytes > limit || f->nr > MAX_TABLES)
		limit -= limit / 8;
	nr_holders = list_holders(tables, f->nr, &holders);
	do {
		victim = f->nr > MAX_TABLES ? choose_victim(holders, nr_holders, true, MAX_TABLES) :
			f->bytes > limit ? choose_victim(holders, nr_holders, false, limit) : NULL;
		if (victim)
			remove_oldest(f, victim);
	} while (victim);
	free(holders);
	free(tables);
}

void op_table_files_make_room(struct op_table_files *f)
{
	if (f->own_max_bytes < f->max_bytes)
		evict(f, f->suffix, f->own_max_bytes);
	evict(f, NULL, f->max_bytes);
}

int op_table_files_open(struct op_table_files *f, int dir_fd, uint64_t max_bytes,
			const char *subuid)
{
	*f = (struct op_table_files){
		.dir_fd = dir_fd, .max_bytes = max_bytes, .own_max_bytes = max_bytes,
	};
	return op_id_ranges_read(&f->ranges, subuid) ? -ENOMEM : 0;
}

void op_table_files_close(struct op_table_files *f)
{
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	f->dir_fd = -1;
	op_id_ranges_release(&f->ranges);
}

static bool is_used_long_ago(const struct stat *st)
{
	return llabs((long long)time(NULL) - st->st_mtime) > USE_S;
}

bool op_table_files_use(const struct op_table_files *f, const char *name)
{
	struct stat st;

	if (fstatat(f->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return false;
	if (is_used_long_ago(&st))
		utimensat(f->dir_fd, name, NULL, AT_SYMLINK_NOFOLLOW);
	return true;
}

void op_table_use(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && is_used_long_ago(&st))
		futimens(fd, NULL);
}

/* Return whether another process has locked or removed the new file @fd. A process may do so if it
 * mistakes the file for an unfinished file of a killed process. */
static bool is_taken(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return true;
	return !fstat(fd, &st) && !st.st_nlink;
}

/*
 * Create and lock a file for a new table, and store its random name in *@new. The lock lasts until
 * all copies of the descriptor are closed. Only the owner may open the file, so no other user can
 * hold the lock. On a file system without locks the file stays unlocked, and no process removes it.
 * Return a descriptor or a negative errno.
 */
static int create_new(struct op_table_files *f, struct op_new_table *new, int mode)
{
	uint64_t number;

	for (int i = 0; i < MAX_TRIES; i++) {
		int fd;

		/* Use a random number, because a daemon in another container may have the same
		 * pid. */
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EAGAIN;
		snprintf(new->name, sizeof(new->name), NEW_PREFIX "%016" PRIx64, number);
		fd = openat(f->dir_fd, new->name, mode | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd < 0)
			return -errno;
		if (!is_taken(fd))
			return fd;
		close(fd);
	}
	return -EAGAIN;
}

int op_table_files_begin(struct op_table_files *f, struct op_new_table *new)
{
	if (f->in_memory) {
		*new->name = '\0';
		new->fd = memfd_create("table", MFD_CLOEXEC);
		return new->fd < 0 ? -errno : 0;
	}
	new->fd = create_new(f, new, O_RDWR);
	return new->fd < 0 ? new->fd : 0;
}

static int copy_contents(int to, int from)
{
	char buf[16384];
	off_t at = 0;
	size_t n;
	int err;

	do {
		err = op_read_all_at(from, buf, sizeof(buf), at, &n);
		if (!err)
			err = op_write_all(to, buf, n);
		at += (off_t)n;
	} while (!err && n == sizeof(buf));
	return err;
}

/* Replace the file of @new by a copy of the file, so that no other process has it open. Return 0 or
 * a negative errno. */
static int copy_new(struct op_table_files *f, struct op_new_table *new)
{
	int fd, err;

	if (*new->name)
		unlinkat(f->dir_fd, new->name, 0);
	err = op_quota_request_name(OP_QUOTA_OTHERS);
	if (err)
		return err;
	fd = create_new(f, new, O_WRONLY);
	if (fd < 0)
		return fd;
	err = copy_contents(fd, new->fd);
	close(new->fd);
	new->fd = fd;
	return err;
}

static uint64_t least_limit(const struct op_table_files *f)
{
	return f->own_max_bytes < f->max_bytes ? f->own_max_bytes : f->max_bytes;
}

static void add(struct op_table_files *f, const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512;

	f->bytes += bytes;
	f->added_bytes += bytes;
	f->nr++;
	f->added_nr++;
	if (f->bytes > f->max_bytes || f->nr > MAX_TABLES ||
	    f->added_bytes > least_limit(f) / COUNT_PART || f->added_nr > MAX_TABLES / COUNT_PART)
		op_table_files_make_room(f);
}

int op_table_files_end(struct op_table_files *f, struct op_new_table *new, const char *name)
{
	struct stat st = { 0 };
	int err = name && (f->copied || f->in_memory) ? copy_new(f, new) : 0;

	if (name && !err && (fchmod(new->fd, 0644) || fstat(new->fd, &st)))
		err = -errno;
	/* Refuse a very large table: it would be evicted at once, or would cause the eviction of
	 * all other tables. */
	if (name && !err && (uint64_t)st.st_size > least_limit(f) / TABLE_PART)
		err = -EFBIG;
	if (name && !err && renameat(f->dir_fd, new->name, f->dir_fd, name))
		err = -errno;
	if ((!name || err) && *new->name)
		unlinkat(f->dir_fd, new->name, 0);
	close(new->fd);
	new->fd = -1;
	if (name && !err)
		add(f, &st);
	return err;
}

static int copy_table(struct op_table_files *f, int from_fd, const char *name)
{
	int from = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;
	struct op_new_table new;

	if (from < 0)
		return -errno;
	err = op_table_files_begin(f, &new);
	if (!err) {
		int end_err;

		err = copy_contents(new.fd, from);
		end_err = op_table_files_end(f, &new, err ? NULL : name);
		err = err ? err : end_err;
	}
	close(from);
	return err;
}

int op_table_files_link(struct op_table_files *f, int from_fd, const char *name)
{
	struct stat st;
	int err;

	if (!fstatat(f->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (fstatat(from_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	if ((uint64_t)st.st_size > least_limit(f) / TABLE_PART)
		return -EFBIG;
	/* The linked table's blocks count as disk space that this process has added. */
	err = op_quota_request(OP_QUOTA_OTHERS,
			       (uint64_t)st.st_blocks * 512 + 2 * OP_QUOTA_BLOCK);
	if (err)
		return err;
	if (!linkat(from_fd, name, f->dir_fd, name, 0)) {
		add(f, &st);
		return 0;
	}
	return errno == ENOENT || errno == EEXIST ? -ENOENT : copy_table(f, from_fd, name);
}
