/* SPDX-License-Identifier: GPL-2.0-or-later */
/* give_table.h -- passing of unwind tables to the module. An error ends the program. */
#ifndef TESTS_GIVE_TABLE_H
#define TESTS_GIVE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the file's table, or NULL if the file cannot be read. */
const unsigned char *map_file(const char *path, size_t *size);

/* Passes the table of the file @path for @cookie; with OPROFILE_NO_COOKIE, for the file that is now
 * at @path. */
void give_table(int buffer, uint64_t cookie, const char *path);
/* Passes the tables of the kernel's vdsos. */
void give_vdsos(int buffer);

#endif
