/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_cells.h -- cells of text tables: titles, names, numbers, changes.
 */
#ifndef PP_FORMAT_TEXT_CELLS_H
#define PP_FORMAT_TEXT_CELLS_H

#include "pp/format/format.h"

/* Return a title as requested: the whole path, or its shortest unique end. */
const char *pp_text_title(const struct pp_report *report, const char *title);

/* Print @text, which may come from an untrusted file, with control characters replaced by '?'.
 * Then print blanks up to @width, at least @min. */
void pp_text_print(FILE *out, const char *text, int width, int min);

void pp_text_pad(FILE *out, int blanks);
#define PP_TEXT_NUMBER 20	/* digits of the largest number */
/* Write a number without a NUL. Return the number of digits. */
int pp_text_digits(char buf[PP_TEXT_NUMBER], uint64_t n);
int pp_text_number(FILE *out, uint64_t n);

#define PP_TEXT_CHANGE 32	/* room for the text of pp_text_change() */

/* Return the counts to show in a differential profile: those after, or those before if there are
 * none after. */
const uint64_t *pp_text_diff_counts(const struct pp_report *report, const uint64_t *counts);
/* "+12.5000", in percent of what was; "+++" new, "---" gone. */
void pp_text_change(char buf[PP_TEXT_CHANGE], const struct pp_report *report,
		    const uint64_t *counts, size_t class);

/* Return the title of a class's column, such as "TIMER:1000000" or "cpu:0", malloc'd; or NULL if
 * out of memory. */
char *pp_text_class_title(const struct pp_session *session, size_t class);

#endif
