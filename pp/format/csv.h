/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h -- text cells of comma-separated values. */
#ifndef PP_FORMAT_CSV_H
#define PP_FORMAT_CSV_H

#include <stdio.h>

/* Write a text cell in quotes. An apostrophe precedes text that a spreadsheet would parse as a
 * formula. */
void pp_csv_text(FILE *out, const char *text);

#endif
