/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_rows.h -- tables of source lines or instructions on the page, with hot lines in colour.
 */
#ifndef PP_FORMAT_HTML_ROWS_H
#define PP_FORMAT_HTML_ROWS_H

#include "pp/format/html_page.h"

/* lines and instructions shown before and after a row with samples */
#define PP_HTML_AROUND	4

/* Begin a table. @file: printed after @caption; or NULL. @first: the head of the column before
 * the text. */
void pp_html_begin_code(const struct pp_html *html, const char *caption, const char *file,
			const char *first);
/* Begin a row with its cells of counts. @counts: NULL without samples. @hottest: the share of
 * the hottest row. */
void pp_html_begin_row(const struct pp_html *html, const uint64_t *counts, double hottest);
/* Mark rows that are left out. */
void pp_html_gap(const struct pp_html *html);
/* End the table. @cut: the last rows are left out. */
void pp_html_end_code(const struct pp_html *html, int cut);

/* Write a sentence in place of code: @before, @name, which is escaped, and @behind. */
void pp_html_note(const struct pp_html *html, const char *before, const char *name,
		  const char *behind);

#endif
