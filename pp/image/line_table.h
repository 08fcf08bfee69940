/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_table.h -- the size that the line table of a unit will have in memory, measured before libdw
 * reads it.
 *
 * libdw needs more than 100 bytes of memory for each row and a copy of the directory's name for
 * each file. A row takes one byte of the table, which may be compressed, and a file takes a few
 * bytes of the table. So a small table could make libdw use all memory.
 */
#ifndef PP_IMAGE_LINE_TABLE_H
#define PP_IMAGE_LINE_TABLE_H

#include <stdint.h>

#include "pp/image/debug_view.h"

struct pp_line_table {
	uint64_t rows;
	uint64_t names; /* upper bound of the bytes of all file names with their directories */
};

/* Return the number of bytes from @offset of .debug_line to the end of the table that begins at
 * @offset; 0 if the table is damaged. */
uint64_t pp_line_table_size(const struct pp_debug_view *view, uint64_t offset);

/* Measure the table at @offset of .debug_line. Return 0, or -ENOEXEC if the table is damaged or its
 * version is unknown. */
int pp_line_table_measure(struct pp_line_table *ret, const struct pp_debug_view *view,
			  uint64_t offset);

#endif
