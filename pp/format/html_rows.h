/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_rows.h -- tables of code on the page: lines of source or instructions, the hot ones in colour.
 */
#ifndef PP_FORMAT_HTML_ROWS_H
#define PP_FORMAT_HTML_ROWS_H

#include "pp/format/html_page.h"

#define PP_HTML_AROUND	4	/* lines and instructions shown before and after one with samples */

/* @file: stands behind @caption; or NULL. @first: head of the column before the text. */
void pp_html_begin_code(const struct pp_html *html, const char *caption, const char *file,
			const char *first);
/* The cells of counts; @counts: NULL where there are no samples. @hottest: share of the hottest row. */
void pp_html_begin_row(const struct pp_html *html, const uint64_t *counts, double hottest);
/* Something is left out between two rows. */
void pp_html_gap(const struct pp_html *html);
/* @cut: the rest is left out. */
void pp_html_end_code(const struct pp_html *html, int cut);

/* A sentence in the place of code, @name being anybody's words. */
void pp_html_note(const struct pp_html *html, const char *before, const char *name,
		  const char *behind);

#endif
