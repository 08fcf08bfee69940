/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.h -- reservation of disk space for mapped files; private to libdb.
 *
 * A store through a mapping into a hole raises SIGBUS when the disk is full. So reserve space with
 * these functions before mapping a file for writing.
 */
#ifndef ODB_ROOM_H
#define ODB_ROOM_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Extend the file from @from to @to bytes and reserve the space. On failure the file may be
 * longer without the space. */
int odb_extend_file(int fd, off_t from, off_t to);
/* Reserve space for the holes of the file, which a copy may have made. */
int odb_fill_holes(int fd, const struct stat *st);
/* Start (@wait 0) or complete (@wait 1) writing the changed pages of a mapping of the file to
 * the disk. */
int odb_sync_map(int fd, void *map, size_t len, int wait);

#endif
