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
	int64_t used;
	uint64_t bytes;
};

static int compare_used(const void *a, const void *b)
{
	const struct on_disk *x = a, *y = b;

	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
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
		found[nr].used = st.st_mtime;
		found[nr++].bytes = (uint64_t)st.st_blocks * 512;
	}
	if (dir)
		closedir(dir);
	*ret = found;
	return nr;
}

/* The least recently used go. */
static void make_room(struct opd_table_files *f)
{
	struct on_disk *tables;
	size_t nr = list_tables(f, &tables);
	uint64_t limit = f->bytes > f->max_bytes || f->nr > MAX_TABLES ?
		f->max_bytes - f->max_bytes / 8 : f->max_bytes;

	if (nr)
		qsort(tables, nr, sizeof(*tables), compare_used);
	f->bytes = f->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (f->bytes + tables[i].bytes > limit || i >= MAX_TABLES) {
			unlinkat(f->dir_fd, tables[i].name, 0);
			continue;
		}
		f->bytes += tables[i].bytes;
		f->nr++;
	}
	free(tables);
}

int opd_table_files_open(struct opd_table_files *f, int samples_fd, const char *dir, const char *suffix,
			 uint64_t max_bytes)
{
	int made;

	*f = (struct opd_table_files){ .suffix = suffix, .max_bytes = max_bytes, .new_fd = -1 };
	f->dir_fd = opd_open_dir_at(samples_fd, dir, 0755, &made);
	if (f->dir_fd < 0)
		return f->dir_fd;
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
