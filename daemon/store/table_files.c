// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_files.c -- symbol tables on the disk.
 */
#include "config.h"
#include "daemon/store/table_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/session.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/session/identity.h"

#define MAX_TABLES	100000
#define NEW_PREFIX	"new."

struct on_disk {
	char name[OP_TABLE_NAME_SIZE];
	uint32_t user;
	int64_t used;
	uint64_t bytes;
};

/* One user's tables: @nr from the index @oldest on, with @bytes together. */
struct holder {
	const struct on_disk *oldest;
	size_t nr;
	uint64_t bytes;
};

/* Compare by user, then by time of use, the least recently used first. */
static int compare_tables(const void *a, const void *b)
{
	const struct on_disk *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return x->used < y->used ? -1 : x->used > y->used;
}

/* Return the user who owns the table's binary. op_table_name() writes the owner at the end of the name. */
static uint32_t user_of(const struct opd_table_files *f, const char *name)
{
	const char *dash = strrchr(name, '-');

	return opd_id_ranges_payer(&f->ranges, dash ? (uint32_t)strtoul(dash + 1, NULL, 10) : 0);
}

/* Lists the tables, and removes what a daemon left that was killed. *@ret: malloc'd. */
static size_t list_tables(struct opd_table_files *f, struct on_disk **ret)
{
	struct on_disk *found = NULL;
	size_t nr = 0;
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(f->dir_fd, ".", &dir))
		dir = NULL;
	while (dir && (d = op_next_entry(dir))) {
		struct stat st;

		if (!strncmp(d->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) && f->new_fd < 0)
			unlinkat(f->dir_fd, d->d_name, 0);
		if (strlen(d->d_name) >= sizeof(found->name) || !strstr(d->d_name, f->suffix) ||
		    fstatat(f->dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
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

/* Group sorted @tables by user. *@ret is malloc'd. */
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

/* Return the user who loses a table. All users share root's binaries, so root loses tables only when no user has more
 * than a quarter. */
static struct holder *who_loses(struct holder *holders, size_t nr, bool by_number, uint64_t limit)
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

static void remove_oldest(struct opd_table_files *f, struct holder *h)
{
	unlinkat(f->dir_fd, h->oldest->name, 0);
	f->bytes -= h->oldest->bytes;
	h->bytes -= h->oldest->bytes;
	f->nr--;
	h->nr--;
	h->oldest++;
}

/* Evict down to an eighth below the limit, so that the next table has room. */
static void make_room(struct opd_table_files *f)
{
	uint64_t limit = f->bytes > f->max_bytes || f->nr > MAX_TABLES ? f->max_bytes - f->max_bytes / 8 : f->max_bytes;
	struct holder *holders, *loser = NULL;
	struct on_disk *tables;
	size_t nr_holders;

	f->bytes = 0;
	f->nr = list_tables(f, &tables);
	if (f->nr)
		qsort(tables, f->nr, sizeof(*tables), compare_tables);
	for (size_t i = 0; i < f->nr; i++)
		f->bytes += tables[i].bytes;
	nr_holders = list_holders(tables, f->nr, &holders);
	do {
		loser = f->nr > MAX_TABLES ? who_loses(holders, nr_holders, true, MAX_TABLES) :
			f->bytes > limit ? who_loses(holders, nr_holders, false, limit) : NULL;
		if (loser)
			remove_oldest(f, loser);
	} while (loser);
	free(holders);
	free(tables);
}

int opd_table_files_open(struct opd_table_files *f, int samples_fd, const char *dir, const char *suffix,
			 uint64_t max_bytes, const char *subuid)
{
	int made;

	*f = (struct opd_table_files){ .suffix = suffix, .max_bytes = max_bytes, .new_fd = -1 };
	f->dir_fd = opd_open_dir_at(samples_fd, dir, 0755, &made);
	if (f->dir_fd < 0)
		return f->dir_fd;
	if (opd_id_ranges_read(&f->ranges, subuid))
		return -ENOMEM;
	make_room(f);
	return 0;
}

void opd_table_files_close(struct opd_table_files *f)
{
	if (f->new_fd >= 0)
		opd_table_files_end(f, NULL);
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	f->dir_fd = -1;
	opd_id_ranges_release(&f->ranges);
}

bool opd_table_files_use(const struct opd_table_files *f, const char *name)
{
	return utimensat(f->dir_fd, name, NULL, AT_SYMLINK_NOFOLLOW) == 0;
}

int opd_table_files_begin(struct opd_table_files *f)
{
	snprintf(f->new_name, sizeof(f->new_name), NEW_PREFIX "%d", (int)getpid());
	unlinkat(f->dir_fd, f->new_name, 0);
	f->new_fd = openat(f->dir_fd, f->new_name,
			   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return f->new_fd < 0 ? -errno : 0;
}

/* Nobody but us has had the file that new_fd is of afterwards. 0 or negative errno. */
static int copy_new(struct opd_table_files *f)
{
	char buf[16384];
	off_t at = 0;
	size_t n;
	int fd, err = 0;

	unlinkat(f->dir_fd, f->new_name, 0);
	fd = openat(f->dir_fd, f->new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	do {
		err = op_read_all_at(f->new_fd, buf, sizeof(buf), at, &n);
		if (!err)
			err = op_write_all(fd, buf, n);
		at += (off_t)n;
	} while (!err && n == sizeof(buf));
	close(f->new_fd);
	f->new_fd = fd;
	return err;
}

int opd_table_files_end(struct opd_table_files *f, const char *name)
{
	struct stat st = { 0 };
	int err = name && f->copied ? copy_new(f) : 0;

	if (name && !err && (fstat(f->new_fd, &st) || renameat(f->dir_fd, f->new_name, f->dir_fd, name)))
		err = -errno;
	if (name && !err) {
		f->bytes += (uint64_t)st.st_blocks * 512;
		f->nr++;
	} else {
		unlinkat(f->dir_fd, f->new_name, 0);
	}
	if (f->new_fd >= 0)
		close(f->new_fd);
	f->new_fd = -1;
	if (f->bytes > f->max_bytes || f->nr > MAX_TABLES)
		make_room(f);
	return err;
}
