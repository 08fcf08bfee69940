/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.h -- the table of functions and lines of Go's run-time system, which `strip` keeps.
 *
 * The table is the section .gopclntab or, in a position-independent program,
 * .data.rel.ro.gopclntab. If another linker made the program, the table is a part of .data.rel.ro.
 * The formats of Go 1.2, 1.16, 1.18 and 1.20 are supported.
 *
 * The file is not trusted. Memory and time are at most proportional to the size of the table, which
 * is limited.
 */
#ifndef PP_IMAGE_GO_TABLE_H
#define PP_IMAGE_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/image/elf.h"
#include "pp/image/frame.h"

/* maximum length of a function's name, in bytes */
#define PP_GO_MAX_NAME	16384

struct pp_go_format;

struct pp_go_table {
	const struct pp_elf *elf;	/* the ELF file, which determines the byte order */
	const struct pp_go_format *format;
	char *section;			/* contents of the section that contains the table */
	const char *data;
	uint64_t size;
	unsigned int pointer;		/* size of a pointer in the table, in bytes */
	uint64_t nr, text;
	uint64_t names, index, descriptions;	/* offsets of the parts of the table, in bytes */
	/* offsets of parts of the table that contain lines; .units is 0 before Go 1.16 */
	uint64_t units, files, lists;
	unsigned int quantum;		/* size of the machine's smallest instruction, in bytes */
	/* size, in bytes, of a number in the index of functions, and of an address in a function's
	 * description */
	unsigned int field;
};

/* Find and read the table of @elf, which must stay open until the release. Return 0, -ENOENT if the
 * table is missing or damaged, or -ENOMEM. */
int pp_go_table_read(struct pp_go_table *ret, const struct pp_elf *elf);
/* Free the contents of @table, which may be zeroed. */
void pp_go_table_release(struct pp_go_table *table);

/* Return the address of function @i. If @i is the number of functions, return the end of the last
 * function. Addresses ascend. */
uint64_t pp_go_address(const struct pp_go_table *t, uint64_t i);
/* Return the name of function @i, and store its length in *@ret_len, or PP_GO_MAX_NAME + 1 if the
 * name is longer than PP_GO_MAX_NAME. Return NULL if an offset or the name's end is outside the
 * table. */
const char *pp_go_name(const struct pp_go_table *t, uint64_t i, size_t *ret_len);

/*
 * Source lines of a Go program without DWARF, from its run-time system's table (go_table.h).
 *
 * A lookup finds the line in the innermost inlined function. The calls of inlined functions are not
 * read.
 */

struct pp_go_lines;

/* Open the table of @elf, which must stay open until pp_go_lines_close(). Return 0, -ENOENT if the
 * table is missing or damaged, or -ENOMEM. */
int pp_go_lines_open(struct pp_go_lines **ret, const struct pp_elf *elf);
/* Free @lines, which may be NULL. */
void pp_go_lines_close(struct pp_go_lines *lines);

/* Set .file and .line of *@ret for an address. Return false if they are unknown. The file's name is
 * valid until pp_go_lines_close(). */
bool pp_go_lines_line(struct pp_go_lines *lines, uint64_t vma, struct pp_frame *ret);

#endif
