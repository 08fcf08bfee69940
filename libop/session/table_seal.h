/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_seal.h -- the seal at the end of a symbol table: a checksum, by which readers detect a
 * damaged table without decompressing it.
 *
 * The seal is an empty gzip member, whose extra field contains a checksum of all bytes before it.
 * So programs that decompress the table do not see the seal.
 */
#ifndef OP_TABLE_SEAL_H
#define OP_TABLE_SEAL_H

#include <stdbool.h>

/* Append a seal to the symbol table @fd, which is open for reading and writing. The file offset
 * must be at the end. Return 0 or a negative errno. */
int op_table_seal(int fd);

/* Return whether the file @name in @dirfd ends with a seal that matches its contents. */
bool op_table_is_valid(int dirfd, const char *name);

#endif
