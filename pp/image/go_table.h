/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.h -- the table of functions and lines of Go's run-time system, which `strip` keeps.
 *
 * The table is the section .gopclntab, or .data.rel.ro.gopclntab in a position-independent program.
 * If another linker made the program, the table is a part of .data.rel.ro. The formats of Go 1.2,
 * 1.16, 1.18 and 1.20 are supported.
 *
 * The file is not trusted. Memory and time are proportional to the size of the table at most, and
 * the size of the table is limited.
 */
#ifndef PP_IMAGE_GO_TABLE_H
#define PP_IMAGE_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/image/elf.h"
#include "pp/image/frame.h"

/* limit of the length of a name, in bytes; a function with a longer name is treated as nameless */
#define PP_GO_MAX_NAME	16384

struct pp_go_format;

struct pp_go_table {
	const struct pp_elf *elf;	/* the ELF file, in whose byte order the numbers are */
	const struct pp_go_format *format;
	char *section;			/* the contents of the section that contains the table */
	const char *data;
	uint64_t size;
	unsigned int pointer;		/* size of a pointer in bytes */
	uint64_t nr, text;
	uint64_t names, index, descriptions;	/* offsets of the parts of the table */
	/* offsets in the table, for lines; .units is 0 before Go 1.16 */
	uint64_t units, files, lists;
	unsigned int quantum;		/* size of the smallest instruction, in bytes */
	/* size, in bytes, of a number in the index and of an address in a description */
	unsigned int field;
};

/* Read the table of @elf, which must stay open until the release. Return 0, -ENOENT if there is no
 * table or it is damaged, or -ENOMEM. */
int pp_go_table_read(struct pp_go_table *ret, const struct pp_elf *elf);
/* Release the table. Accepts a zeroed struct. */
void pp_go_table_release(struct pp_go_table *table);

/* Return the address of function @i. For @i equal to the number of functions, return the end of the
 * last function. Addresses ascend. */
uint64_t pp_go_address(const struct pp_go_table *t, uint64_t i);
/* Return the name of function @i, with its length without the NUL, or NULL if an offset is outside
 * the table. A name longer than PP_GO_MAX_NAME is truncated. */
const char *pp_go_name(const struct pp_go_table *t, uint64_t i, size_t *ret_len);

/*
 * The source lines of a Go program without DWARF, from the table of its run-time system
 * (go_table.h).
 *
 * Look-ups return the line in the innermost inlined function. The calls of inlined functions are
 * not read.
 */

struct pp_go_lines;

/* Open the table of @elf, which must stay open until pp_go_lines_close(). Return 0, -ENOENT if
 * there is no table or it is damaged, or -ENOMEM. */
int pp_go_lines_open(struct pp_go_lines **ret, const struct pp_elf *elf);
/* Free @lines. Accepts NULL. */
void pp_go_lines_close(struct pp_go_lines *lines);

/* Set file and line of *@ret for an address. Return false if file and line are unknown. The name of
 * the file is valid until pp_go_lines_close(). */
bool pp_go_lines_line(struct pp_go_lines *lines, uint64_t vma, struct pp_frame *ret);

#endif
