/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.h -- reservation of disk space for mapped files; private to libdb.
 *
 * A store through a mapping into a hole raises SIGBUS when the disk is full. So call these
 * functions before a file is mapped for writing.
 */
#ifndef ODB_ROOM_H
#define ODB_ROOM_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Extend the file from @from to @to bytes and reserve the disk space. On failure the file may have
 * the new length without reserved space. */
int odb_extend_file(int fd, off_t from, off_t to);
/* Allocate disk space for the holes of a sparse file. Copying a file may create holes. */
int odb_fill_holes(int fd, const struct stat *st);
/* Write the changed pages of a file's mapping to the disk. @wait 0: start the write and return; 1:
 * wait for its end. */
int odb_sync_map(int fd, void *map, size_t len, int wait);

#endif
