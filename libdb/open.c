// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open.c -- opening, closing and writing back of sample files.
 */
#include "config.h"
#include "libdb/layout.h"
#include "libdb/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Extend a new file to its initial size. In an existing file, allocate blocks for the holes,
 * because a store into a hole raises SIGBUS if the disk is full. */
static int reserve(struct odb *db, const struct stat *st)
{
	uint64_t initial = odb_file_size(db->header_size, ODB_INITIAL_NODES);

	if (!st->st_size)
		return odb_resize(db, initial);
	return odb_fill_holes(db->fd, st);
}

static int map_file(struct odb *db, int fd, const struct stat *st)
{
	int prot = db->mode == ODB_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;

	if ((uint64_t)st->st_size > odb_file_size(db->header_size, ODB_MAX_NODES))
		return ODB_ERR_FORMAT;
	if ((uint64_t)st->st_size > SIZE_MAX)
		return -EFBIG;
	db->map = mmap(NULL, st->st_size, prot, MAP_SHARED, fd, 0);
	if (db->map == MAP_FAILED) {
		db->map = NULL;
		return -errno;
	}
	db->map_len = st->st_size;
	return 0;
}

int odb_open(struct odb **ret, int fd, size_t header_size, enum odb_mode mode,
	     struct odb_repair *repair)
{
	struct odb_repair ignored;
	struct stat st;
	struct odb *db;
	int err = 0;

	if (header_size % sizeof(uint64_t) || header_size > ODB_MAX_HEADER)
		return -EINVAL;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return ODB_ERR_FORMAT;
	if (!st.st_size && mode == ODB_READ)
		return ODB_ERR_EMPTY;
	if (st.st_size && (uint64_t)st.st_size < header_size + sizeof(struct odb_descr))
		return ODB_ERR_TRUNCATED;

	db = calloc(1, sizeof(*db));
	if (!db)
		return -ENOMEM;
	db->header_size = header_size;
	db->mode = mode;
	db->fd = -1;

	if (mode == ODB_READ) {
		err = map_file(db, fd, &st);
		if (!err)
			err = odb_check_read(db);
		if (!err)
			err = odb_find_extents(db, fd, &st);
		if (err)
			goto err_free;
		close(fd);	/* a reader needs only the mapping, not the descriptor */
	} else {
		if (!repair)
			repair = &ignored;
		*repair = (struct odb_repair){ 0 };
		db->fd = fd;
		if (st.st_size)
			err = map_file(db, fd, &st);
		if (!err)
			err = reserve(db, &st);
		if (!err)
			err = odb_check_write(db, repair);
		if (err)
			goto err_free;
	}
	*ret = db;
	return 0;

err_free:
	if (db->map)
		munmap(db->map, db->map_len);
	free(db->extents);
	free(db);
	return err;
}

void odb_close(struct odb *db)
{
	if (!db)
		return;
	munmap(db->map, db->map_len);
	if (db->fd >= 0)
		close(db->fd);
	free(db->extents);
	free(db);
}

void *odb_header(struct odb *db)
{
	return db->map;
}

int odb_sync(struct odb *db, int wait)
{
	return db->mode == ODB_READ ? -EBADF : odb_sync_map(db->fd, db->map, db->map_len, wait);
}

const char *odb_strerror(int err)
{
	switch (err) {
	case ODB_ERR_FORMAT:
		return "not a sample file, or damaged beyond repair";
	case ODB_ERR_TRUNCATED:
		return "sample file cut short";
	case ODB_ERR_EMPTY:
		return "sample file without samples yet";
	case ODB_ERR_GENERATION:
		return "tree of call paths that belongs to another file of frames";
	case ODB_ERR_VERSION:
		return "call paths of a newer version; read them with the release that wrote them";
	default:
		return strerror(-err);
	}
}
