/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_why.h -- the share of samples with complete call paths, and the reasons why other paths are
 * incomplete.
 */
#ifndef PP_FORMAT_PATH_WHY_H
#define PP_FORMAT_PATH_WHY_H

#include <stdio.h>

#include "pp/format/format.h"

/* Print "The whole path is known for 99.2000 % of 10000 samples; 0.5000 % table not loaded yet." If
 * columns count different units, print a sentence for each column with its name, and @between
 * between two sentences. @put_text prints a name with the escapes of the format. Print nothing if
 * the profile has no paths. */
void pp_path_shares_put(FILE *out, const struct pp_report *report, const char *between,
			void (*put_text)(FILE *out, const char *text));

/* Print one line for each of the most frequent reasons why call paths are incomplete. Return 0 or
 * -ENOMEM. */
int pp_path_why_largest(const struct pp_report *report);
/* Print one line for each reason why call paths are incomplete, the most frequent first. Return 0
 * or -ENOMEM. */
int pp_path_why_all(const struct pp_report *report);

#endif
