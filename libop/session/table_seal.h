/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_seal.h -- the end of a kept symbol table, by which a damaged table is found without
 * unpacking it.
 *
 * The seal is an empty gzip member whose extra field holds a checksum of all bytes before it, so
 * programs that unpack the table do not see it.
 */
#ifndef OP_TABLE_SEAL_H
#define OP_TABLE_SEAL_H

#include <stdbool.h>

/* Append a seal to the table that is open as @fd for reading and writing, with its offset at the
 * end. Return 0 or a negative errno. */
int op_table_seal(int fd);

/* Return whether the file @name in @dirfd ends with the seal of its contents. */
bool op_table_is_sound(int dirfd, const char *name);

#endif
