/* SPDX-License-Identifier: GPL-2.0-or-later */
/* give_table.h -- passes unwind tables to the module. Exits on errors. */
#ifndef TESTS_GIVE_TABLE_H
#define TESTS_GIVE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Map a file. Return its contents, or NULL if it cannot be read. */
const unsigned char *map_file(const char *path, size_t *size);

/* Pass the table of the file @path to the module for @cookie or, if @cookie is OPROFILE_NO_COOKIE,
 * for the file that is now at @path. */
void give_table(int buffer, uint64_t cookie, const char *path);
/* Pass the tables of the kernel's vdsos to the module. */
void give_vdsos(int buffer);

#endif
