/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_table.h -- measures a unit's line table before libdw reads it.
 *
 * libdw needs more than 100 bytes of memory for each row, and copies the directory's name for each
 * file. In the table, which may be compressed, a row may take one byte, and a file a few bytes. So
 * a small table could use up all memory.
 */
#ifndef PP_IMAGE_LINE_TABLE_H
#define PP_IMAGE_LINE_TABLE_H

#include <stdint.h>

#include "pp/image/debug_view.h"

struct pp_line_table {
	uint64_t rows;
	/* upper bound of the size of all file names with their directories, in bytes */
	uint64_t names;
};

/* Return the size of the line table at @offset of .debug_line, without its length field, or 0 if it
 * is damaged. */
uint64_t pp_line_table_size(const struct pp_debug_view *view, uint64_t offset);

/* Measure the line table at @offset of .debug_line. Return 0, or -ENOEXEC if the table is damaged
 * or has an unknown version. */
int pp_line_table_measure(struct pp_line_table *ret, const struct pp_debug_view *view,
			  uint64_t offset);

#endif
