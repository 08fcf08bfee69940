// SPDX-License-Identifier: GPL-2.0-or-later
/* tables.c -- stores the symbol tables for the images of a store's intervals. */
#include "config.h"
#include "intervals/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/session.h"
#include "intervals/store.h"
#include "libop/base/dir.h"
#include "libop/base/grow.h"
#include "libop/base/id_ranges.h"
#include "libop/session/identity.h"
#include "libop/session/table_files.h"

/* limit of the memory for the images of one interval, in bytes */
#define MAX_IMAGES	(64u << 20)

struct table_name {
	char text[OP_TABLE_NAME_SIZE];
};

/* A sorted list of names of symbol tables; it contains the name of the table made without a debug
 * file. */
struct names {
	struct table_name *items;
	size_t nr;
	/* an interval could not be read, so some tables that it needs may be missing in the list */
	bool is_incomplete;
};

static int compare_names(const void *a, const void *b)
{
	const struct table_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static void sort(struct names *names)
{
	size_t kept = 0;

	if (names->nr)
		qsort(names->items, names->nr, sizeof(*names->items), compare_names);
	for (size_t i = 0; i < names->nr; i++)
		if (!kept || compare_names(&names->items[kept - 1], &names->items[i]))
			names->items[kept++] = names->items[i];
	names->nr = kept;
}

static int add_images(struct names *names, const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_images; i++) {
		const struct itv_image *image = &v->images[i];

		if (op_grow(&names->items, names->nr))
			return -ENOMEM;
		if (!op_table_name(names->items[names->nr].text, &image->image.identity,
				   image->image.mtime, image->build_id, image->build_id_len))
			names->nr++;
	}
	return 0;
}

/* Add the names of the symbol tables that an interval needs. Ignore an interval that is damaged, or
 * was deleted after the store was listed. If the interval has a newer version or is too large, mark
 * the list as incomplete. */
static int add_interval(struct names *names, int dirfd, const char *interval)
{
	int fd = openat(dirfd, interval,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct itv v = { .nr_images = 0 };
	int err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = itv_file_read(&v, fd, ITV_READ_IMAGES, MAX_IMAGES);
	close(fd);
	names->is_incomplete |= err == ITV_ERR_VERSION || err == ITV_ERR_TOO_BIG;
	if (err)
		return itv_file_is_bad(err) ? 0 : err;
	err = add_images(names, &v);
	itv_release(&v);
	return err;
}

/* Add the names of the symbol tables that a closed session needs, because the session will soon
 * become an interval. Ignore files that cannot be read. */
static int add_session(struct names *names, int dirfd, const char *session)
{
	int fd = openat(dirfd, session, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct itv v = { .nr_images = 0 };
	int err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = itv_session_images(&v, fd);
	close(fd);
	if (!err)
		err = add_images(names, &v);
	itv_release(&v);
	return err;
}

static int collect(struct names *names, int dirfd)
{
	struct itv_list list = { .nr = 0 };
	int err = itv_store_list(&list, dirfd);

	for (size_t i = 0; i < list.nr && !err; i++) {
		const struct itv_entry *entry = &list.entries[i];

		err = entry->is_session ? add_session(names, dirfd, entry->name) :
					  add_interval(names, dirfd, entry->name);
		sort(names);
	}
	itv_list_release(&list);
	return err;
}

static bool is_named(const struct names *names, const char *table)
{
	static const char debug[] = OP_TABLE_DEBUG_SUFFIX;
	size_t len = strlen(table);
	struct table_name name;

	if (len >= sizeof(name.text))
		return false;
	strcpy(name.text, table);
	if (len > sizeof(debug) && !strcmp(table + len - (sizeof(debug) - 1), debug))
		strcpy(name.text + len - (sizeof(debug) - 1), OP_TABLE_SUFFIX);
	return names->nr && bsearch(&name, names->items, names->nr, sizeof(*names->items),
				    compare_names);
}

static void delete_others(const struct names *names, int tables)
{
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(tables, ".", &dir))
		return;
	while ((d = op_next_entry(dir)))
		if (!is_named(names, d->d_name))
			unlinkat(tables, d->d_name, 0);
	closedir(dir);
}

/* Store in @kept links to two tables of the directory @from: the table @name, and the table of the
 * same binary that also has the symbols of its debug file. */
static int link_both(struct op_table_files *kept, int from, const char *name)
{
	char debug[OP_TABLE_NAME_SIZE];
	int err = op_table_files_link(kept, from, name);

	if (err && err != -ENOENT && err != -EFBIG)
		return err;
	strcpy(debug, name);
	op_table_name_debug(debug);
	err = op_table_files_link(kept, from, debug);
	return err == -ENOENT || err == -EFBIG ? 0 : err;
}

static int link_tables(const struct names *names, int dirfd, struct op_table_files *kept)
{
	static const char *const places[] = {
		"../" OP_TABLES_DIR, "../" OP_CACHE_LINK, "../" OP_INTERVAL_TABLES_DIR,
	};
	int err = 0;

	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]) && !err; p++) {
		int from = openat(dirfd, places[p], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		for (size_t i = 0; i < names->nr && from >= 0 && !err; i++)
			err = link_both(kept, from, names->items[i].text);
		if (from >= 0)
			close(from);
	}
	return err;
}

/* Open the directory @name, which contains symbol tables. Create the directory if it is missing.
 * Return a descriptor or a negative errno. */
static int open_tables(int dirfd, const char *name)
{
	int fd;

	if (mkdirat(dirfd, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int itv_tables_keep(int dirfd, uint64_t max_bytes)
{
	struct names names = { .nr = 0 };
	struct op_table_files kept;
	int err = collect(&names, dirfd), tables = -1;

	if (!err)
		tables = err = open_tables(dirfd, "../" OP_INTERVAL_TABLES_DIR);
	if (tables >= 0) {
		err = op_table_files_open(&kept, tables, max_bytes, OP_SUBUID);
		if (!err) {
			if (!names.is_incomplete)
				delete_others(&names, tables);
			op_table_files_make_room(&kept);
			err = link_tables(&names, dirfd, &kept);
		}
		if (!err)
			op_table_files_make_room(&kept);
		op_table_files_close(&kept);
	}
	free(names.items);
	return err;
}

int itv_tables_copy(const struct itv *v, int dirfd, int samples_fd)
{
	struct names names = { .nr = 0 };
	struct op_table_files copies;
	int err = add_images(&names, v), tables;

	if (err) {
		free(names.items);
		return err;
	}
	sort(&names);
	tables = err = open_tables(samples_fd, OP_TABLES_DIR);
	if (tables >= 0) {
		err = op_table_files_open(&copies, tables, UINT64_MAX, OP_SUBUID);
		copies.copied = true;
		if (!err)
			err = link_tables(&names, dirfd, &copies);
		op_table_files_close(&copies);
	}
	free(names.items);
	return err;
}
