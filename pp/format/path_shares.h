/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_shares.h -- shares of samples with whole call paths, and of the reasons why others are
 * short.
 */
#ifndef PP_FORMAT_PATH_SHARES_H
#define PP_FORMAT_PATH_SHARES_H

#include <stdio.h>

#include "pp/format/format.h"

/* Print "The whole path is known for 99.2000 % of 10000 samples; 0.5000 % table not loaded yet."
 * If columns count different units, print a sentence with its name for each column, and @between
 * between two sentences. @put_text prints a name with the escapes of the format. Print nothing
 * if the profile has no paths. */
void pp_path_shares_put(FILE *out, const struct pp_report *report, const char *between,
			void (*put_text)(FILE *out, const char *text));

#endif
