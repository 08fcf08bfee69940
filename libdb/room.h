/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.h -- what every file that libdb maps needs of the file system; private to libdb.
 *
 * A store through a mapping into a hole is a SIGBUS when the disk is full, so nothing is mapped for
 * writing that has not been reserved by one of these.
 */
#ifndef ODB_ROOM_H
#define ODB_ROOM_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Makes the file longer, with its space reserved; on failure it may be longer without. */
int odb_extend_file(int fd, off_t from, off_t to);
/* For a file that was copied, perhaps with holes. */
int odb_fill_holes(int fd, const struct stat *st);
/* Starts (@wait 0) or completes (@wait 1) writing to disk what was stored to a mapping of the file. */
int odb_sync_map(int fd, void *map, size_t len, int wait);

#endif
