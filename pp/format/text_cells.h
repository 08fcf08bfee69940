/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_cells.h -- what stands in the tables that people read: titles, names, numbers, changes.
 */
#ifndef PP_FORMAT_TEXT_CELLS_H
#define PP_FORMAT_TEXT_CELLS_H

#include "pp/format/format.h"

/* A title as the options want it: whole, or the last part of a path that no other has. */
const char *pp_text_title(const struct pp_report *report, const char *title);

/* Prints @text, which may come from a hostile file: what would steer a terminal becomes '?'. Then
 * blanks up to @width, at least @min of them. */
void pp_text_print(FILE *out, const char *text, int width, int min);

void pp_text_pad(FILE *out, int blanks);
#define PP_TEXT_NUMBER 20	/* digits of the largest number */
/* In decimal, without a NUL; both return how many digits. */
int pp_text_digits(char buf[PP_TEXT_NUMBER], uint64_t n);
int pp_text_number(FILE *out, uint64_t n);

#define PP_TEXT_CHANGE 32	/* room for what pp_text_change() says */

/* In a differential profile: what to show of @counts, which is what was where nothing is now. */
const uint64_t *pp_text_diff_counts(const struct pp_report *report, const uint64_t *counts);
/* "+12.5000", in percent of what was; "+++" new, "---" gone. */
void pp_text_change(char buf[PP_TEXT_CHANGE], const struct pp_report *report,
		    const uint64_t *counts, size_t class);

/* malloc'd title of a class's column: "TIMER:1000000", "cpu:0". NULL: out of memory. */
char *pp_text_class_title(const struct pp_session *session, size_t class);

#endif
