/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h -- text cells of comma-separated values. */
#ifndef PP_FORMAT_CSV_H
#define PP_FORMAT_CSV_H

#include <stdio.h>

/* Write a text cell in quotes. If a spreadsheet would parse the text as a formula, write an
 * apostrophe before the text. */
void pp_csv_text(FILE *out, const char *text);

#endif
