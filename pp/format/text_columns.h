/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_columns.h -- the columns of symbol tables, as data.
 */
#ifndef PP_FORMAT_TEXT_COLUMNS_H
#define PP_FORMAT_TEXT_COLUMNS_H

#include "pp/format/format.h"

#define PP_TEXT_MAX_COLUMNS 12	/* kinds of column; a column for each class counts once */

/* A line to print: a function, or an address inside one. */
struct pp_text_line {
	const struct pp_report *report;
	const struct pp_code *code;
	const struct pp_group *group;
	uint64_t vma;
	const char *file;		/* NULL: unknown */
	uint32_t line;
	const uint64_t *counts, *totals;
	const uint64_t *inclusive;	/* the function's total; only in a table of entries */
	/* sums of this line and all lines above; with --accumulated */
	const uint64_t *sums;
	const char *suffix;		/* printed after the name; or NULL */
	int indent;
	const struct pp_text_table *table;
};

struct pp_text_column;

struct pp_text_table {
	const struct pp_text_column *columns[PP_TEXT_MAX_COLUMNS];
	size_t nr;
	int vma_digits;
	int has_images, has_apps;	/* the table has columns of images, of programs */
	int app_width;			/* width of the column of programs */
	int name_at;			/* the column of names, if no cell before is too wide */
};

/* Choose the columns: those of the options, and names that differ. */
struct pp_text_table pp_text_table(const struct pp_report *report);

void pp_text_heads(const struct pp_text_table *table, const struct pp_report *report);
/* Print a function, after line->indent blanks. */
void pp_text_line(const struct pp_text_table *table, const struct pp_text_line *line);
/* Print an address of the function above, without names. */
void pp_text_detail_line(const struct pp_text_table *table, const struct pp_text_line *line);

/* Return a line for a function of a program; the caller sets .totals, .sums and .suffix. */
struct pp_text_line pp_text_line_of(const struct pp_text_table *table,
				    const struct pp_report *report, struct pp_end end,
				    const uint64_t *counts);

#endif
