/* SPDX-License-Identifier: GPL-2.0-or-later */
/* give_table.h -- passes unwind tables to the module. Exits on errors. */
#ifndef TESTS_GIVE_TABLE_H
#define TESTS_GIVE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Map a file. Return its contents, or NULL if it cannot be read. */
const unsigned char *map_file(const char *path, size_t *size);

/*
 * Pass the unwind table of the file @path to the module, for the file with @cookie or, if @cookie
 * is OPROFILE_NO_COOKIE, for the file that @path refers to.
 */
void give_table(int buffer, uint64_t cookie, const char *path);
/* Pass the unwind tables of the kernel's vDSOs to the module. */
void give_vdsos(int buffer);

#endif
