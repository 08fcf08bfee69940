/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_why.h -- the share of samples with whole call paths, and the reasons why the other paths end
 * early.
 */
#ifndef PP_FORMAT_PATH_WHY_H
#define PP_FORMAT_PATH_WHY_H

#include <stdio.h>

#include "pp/format/format.h"

/* Print "The whole path is known for 99.2000 % of 10000 samples; 0.5000 % table not loaded yet." If
 * columns count different units, print a sentence for each column, with the name of the column, and
 * print @between between two sentences. @put_text prints a name with the escapes of the format. If
 * the profile has no paths, print nothing. */
void pp_path_shares_put(FILE *out, const struct pp_report *report, const char *between,
			void (*put_text)(FILE *out, const char *text));

/* Print a line for each of the largest reasons, if paths end early. Return 0 or -ENOMEM. */
int pp_path_why_largest(const struct pp_report *report);
/* Print a line for each reason, the largest first. Return 0 or -ENOMEM. */
int pp_path_why_all(const struct pp_report *report);

#endif
