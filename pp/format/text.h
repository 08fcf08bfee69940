/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h -- the parts of the text format.
 */
#ifndef PP_FORMAT_TEXT_H
#define PP_FORMAT_TEXT_H

#include <stdbool.h>

#include "pp/format/format.h"

/* Cells of tables in text reports: titles, names, numbers, changes. */

/* Return the title of an image or program in the requested form: the whole path, or its shortest
 * unique end. */
const char *pp_text_title(const struct pp_report *report, const char *title);

/* Print @text, which may come from an untrusted file, with '?' for control characters. Then print
 * blanks up to @width columns, but at least @min blanks. */
void pp_text_print(FILE *out, const char *text, int width, int min);

void pp_text_pad(FILE *out, int blanks);
#define PP_TEXT_NUMBER 20	/* number of digits of the largest 64-bit number */
/* Write a number to @buf in decimal, without a NUL. Return the number of digits. */
int pp_text_digits(char buf[PP_TEXT_NUMBER], uint64_t n);

#define PP_TEXT_CHANGE 32	/* size of a buffer for pp_text_change() */

/* Return the counts to show in a differential profile: the counts of the second profile or, if they
 * are all 0, the counts of the first profile. */
const uint64_t *pp_text_diff_counts(const struct pp_report *report, const uint64_t *counts);
/* Write the change of a count in percent to @buf, such as "+12.5000". Write "+++" if only the
 * second profile has samples, and "---" if only the first has samples. */
void pp_text_change(char buf[PP_TEXT_CHANGE], const struct pp_report *report,
		    const uint64_t *counts, size_t class);

/* Write the limits of the confidence interval of a change, in percent (pp/join/certainty.h). Write
 * "+++" if no upper limit exists, "exact" for exact counts, and "---" without samples. */
void pp_text_interval(char low[PP_TEXT_CHANGE], char high[PP_TEXT_CHANGE],
		      const struct pp_report *report, const uint64_t *counts, size_t class);

/* Return the title of the column for a class of samples, such as "TIMER:1000000" or "cpu:0",
 * malloc'd, or NULL if out of memory. */
char *pp_text_class_title(const struct pp_session *session, size_t class);

/* The columns of symbol tables. */

/* maximum number of kinds of columns, such as counts and percentages; columns of one kind count as
 * one, even for several events */
#define PP_TEXT_MAX_COLUMNS 14

/* A line of a symbol table: a function, or an address in a function. */
struct pp_text_line {
	const struct pp_report *report;
	const struct pp_code *code;
	const struct pp_group *group;
	uint64_t vma;
	const char *file;		/* source file of the line; NULL: unknown */
	uint32_t line;
	const uint64_t *counts, *totals;
	/* inclusive total of the function; set only in a table of functions */
	const uint64_t *inclusive;
	/* sums of this line and of all lines above; set only with --accumulated */
	const uint64_t *sums;
	const char *suffix;		/* text to print after the name of the function, or NULL */
	int indent;
	const struct pp_text_table *table;
};

struct pp_text_column;

struct pp_text_table {
	const struct pp_text_column *columns[PP_TEXT_MAX_COLUMNS];
	size_t nr;
	int vma_digits;
	/* .has_images: the table has a column of images; .has_apps: it has a column of programs */
	bool has_images, has_apps;
	int app_width;			/* width of the column of programs, in characters */
	int name_at; /* position at which names begin, unless a cell to the left is too wide */
};

/* Choose the columns of the table: those that the options request; images, if there are several;
 * and programs, if there are several. */
struct pp_text_table pp_text_table(const struct pp_report *report);

/* Print a line with the sum of the lines that --significant hides. */
void pp_text_hidden(const struct pp_text_table *table, const struct pp_report *report);

void pp_text_heads(const struct pp_text_table *table, const struct pp_report *report);
/* Print a function after line->indent blanks. */
void pp_text_line(const struct pp_text_table *table, const struct pp_text_line *line);
/* Print the line of a sampled address, without names, after the line of its function. */
void pp_text_detail_line(const struct pp_text_table *table, const struct pp_text_line *line);

/* Return the line of a function in a program. The caller sets its .totals, .sums and .suffix. */
struct pp_text_line pp_text_line_of(const struct pp_text_table *table,
				    const struct pp_report *report, struct pp_end end,
				    const uint64_t *counts);

/* A block of lines for each function: its callers, the function, its callees. */

/* Print a block for each function. Return 0 or -ENOMEM. */
int pp_text_callgraph(const struct pp_report *report);

/* Call paths as an indented list: callees below their callers, or callers below their callees. */

/* Print the list of call paths. Return 0 or -ENOMEM. */
int pp_text_calltree(const struct pp_report *report);

/* The lines that precede a report: CPU, events, columns. */

/* Print the header of the report. Return 0 or -ENOMEM. */
int pp_text_header(const struct pp_report *report);

struct pp_range;

/* Print a line such as "Time: Sat 2026-11-28 00:00:00 CET to Sun 2026-11-29 00:00:00 CET (144
 * intervals)", and the periods that the user requested. */
void pp_text_range(FILE *out, const struct pp_range *range);
/* Print the time of a session and the session's gaps, and a line such as "Profiled on web1 ..." for
 * each samples directory of the session. */
void pp_text_sessions(const struct pp_report *report, const struct pp_session *session);

/* Accounting of samples: taken, stored, and lost with reasons. */

/* Print the accounting of samples, for one side of a differential profile or for the report's only
 * profile. */
void pp_text_losses(const struct pp_report *report, const struct pp_session *session,
		    const struct pp_profile *profile);

#endif
