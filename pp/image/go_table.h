/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.h -- the table that Go's run-time system has of its functions and lines, which `strip` keeps.
 *
 * The table is the section .gopclntab, .data.rel.ro.gopclntab in a position-independent program, or a part of
 * .data.rel.ro if another linker made that program. The formats of Go 1.2, 1.16, 1.18 and 1.20 are known.
 *
 * The file is not trusted. Memory and time are at most proportional to the size of the table, which is limited.
 */
#ifndef PP_IMAGE_GO_TABLE_H
#define PP_IMAGE_GO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/image/elf.h"

#define PP_GO_MAX_NAME	16384	/* bytes; a function with a longer name has no name */

struct pp_go_format;

struct pp_go_table {
	const struct pp_elf *elf;	/* whose byte order the numbers have */
	const struct pp_go_format *format;
	char *section;			/* the bytes that contain the table */
	const char *data;
	uint64_t size;
	unsigned int pointer;		/* bytes */
	uint64_t nr, text;
	uint64_t names, index, descriptions;	/* offsets */
	uint64_t units, files, lists;	/* offsets of what lines need; units: 0 before Go 1.16 */
	unsigned int quantum;		/* bytes of the smallest instruction */
	unsigned int field;		/* bytes of a number in the index and of an address in a description */
};

/* Read the table of @elf, which must stay open until the release. Return 0; -ENOENT: there is no table, or it is damaged; -ENOMEM. */
int pp_go_table_read(struct pp_go_table *ret, const struct pp_elf *elf);
/* Takes a zeroed struct. */
void pp_go_table_release(struct pp_go_table *table);

/* Return the number of @size bytes, 4 or 8, at an offset that is within the table. */
uint64_t pp_go_number(const struct pp_go_table *t, uint64_t at, unsigned int size);
/* Return the address of function @i, or for the number of functions the end of the last one. Addresses ascend. */
uint64_t pp_go_address(const struct pp_go_table *t, uint64_t i);
/* Return the name of function @i, with its length without the NUL, or NULL if an offset is outside the table. A longer name than
 * PP_GO_MAX_NAME is not complete. */
const char *pp_go_name(const struct pp_go_table *t, uint64_t i, size_t *ret_len);

#endif
