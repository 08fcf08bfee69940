/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.h -- the table of functions and lines of Go's run-time system, which `strip` keeps.
 *
 * The table is the section .gopclntab, or .data.rel.ro.gopclntab in a position-independent program.
 * If another linker made the program, the table is a part of .data.rel.ro. The formats of Go 1.2,
 * 1.16, 1.18 and 1.20 are supported.
 *
 * The file is not trusted. Memory and time are proportional to the size of the table at most, and
 * that size is limited.
 */
#ifndef PP_IMAGE_GO_TABLE_H
#define PP_IMAGE_GO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/image/elf.h"

#define PP_GO_MAX_NAME	16384	/* bytes; a function with a longer name is treated as nameless */

struct pp_go_format;

struct pp_go_table {
	const struct pp_elf *elf;	/* gives the byte order of the numbers */
	const struct pp_go_format *format;
	char *section;			/* the bytes that contain the table */
	const char *data;
	uint64_t size;
	unsigned int pointer;		/* bytes */
	uint64_t nr, text;
	uint64_t names, index, descriptions;	/* offsets */
	uint64_t units, files, lists;	/* offsets for line look-ups; units: 0 before Go 1.16 */
	unsigned int quantum;		/* size of the smallest instruction */
	/* bytes of a number in the index and of an address in a description */
	unsigned int field;
};

/* Read the table of @elf, which must stay open until the release. Return 0, -ENOENT if there is no
 * table or it is damaged, or -ENOMEM. */
int pp_go_table_read(struct pp_go_table *ret, const struct pp_elf *elf);
/* Accepts a zeroed struct. */
void pp_go_table_release(struct pp_go_table *table);

/* Return the number of @size bytes (4 or 8) at the offset @at, which must be within the table. */
uint64_t pp_go_number(const struct pp_go_table *t, uint64_t at, unsigned int size);
/* Return the address of function @i. For @i equal to the number of functions, return the end of the
 * last one. Addresses ascend. */
uint64_t pp_go_address(const struct pp_go_table *t, uint64_t i);
/* Return the name of function @i, with its length without the NUL, or NULL if an offset is outside
 * the table. A name longer than PP_GO_MAX_NAME is truncated. */
const char *pp_go_name(const struct pp_go_table *t, uint64_t i, size_t *ret_len);

#endif
