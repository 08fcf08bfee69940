/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_columns.h -- the columns of tables about symbols, as data.
 */
#ifndef PP_FORMAT_TEXT_COLUMNS_H
#define PP_FORMAT_TEXT_COLUMNS_H

#include "pp/format/format.h"

#define PP_TEXT_MAX_COLUMNS 12	/* kinds of column; those per class stand once */

/* A line to print: a function, or an address inside one. */
struct pp_text_line {
	const struct pp_report *report;
	const struct pp_code *code;
	const struct pp_group *group;
	uint64_t vma;
	const char *file;		/* NULL: not known */
	uint32_t line;
	const uint64_t *counts, *totals;
	const uint64_t *inclusive;	/* the function's total; only in a table of entries */
	const uint64_t *sums;		/* of this and all lines above; with --accumulated */
	const char *suffix;		/* behind the name, or NULL */
	int indent;
	const struct pp_text_table *table;
};

struct pp_text_column;

struct pp_text_table {
	const struct pp_text_column *columns[PP_TEXT_MAX_COLUMNS];
	size_t nr;
	int vma_digits;
	int has_images, has_apps;	/* columns of these */
	int app_width;			/* of that column: rows of threads have long ones */
	int name_at;			/* where names begin, if nothing before them is too wide */
};

/* Chooses columns: those the options ask for, and names where they differ. */
struct pp_text_table pp_text_table(const struct pp_report *report);

void pp_text_heads(const struct pp_text_table *table, const struct pp_report *report);
/* A function, with line->indent blanks in front. */
void pp_text_line(const struct pp_text_table *table, const struct pp_text_line *line);
/* An address inside the function above it: names would repeat. */
void pp_text_detail_line(const struct pp_text_table *table, const struct pp_text_line *line);

/* A line about a function of a program; .totals, .sums and .suffix are left to the caller. */
struct pp_text_line pp_text_line_of(const struct pp_text_table *table,
				    const struct pp_report *report, struct pp_end end,
				    const uint64_t *counts);

#endif
