/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h -- text values of comma-separated values. */
#ifndef PP_FORMAT_CSV_H
#define PP_FORMAT_CSV_H

#include <stdio.h>

/* Write a text value in quotes. Put an apostrophe before text that a spreadsheet would take for a
 * formula. */
void pp_csv_text(FILE *out, const char *text);

#endif
