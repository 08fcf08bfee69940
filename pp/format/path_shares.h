/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_shares.h -- how much of the samples has a whole path of calls, and why the others have not.
 */
#ifndef PP_FORMAT_PATH_SHARES_H
#define PP_FORMAT_PATH_SHARES_H

#include <stdio.h>

#include "pp/format/format.h"

/* Prints "The whole path is known for 99.2000 % of 10000 samples; 0.5000 % table not loaded yet." Where columns count
 * different units, prints a sentence with its name for each column, and @between between two sentences. @put_text
 * prints a name with the escapes of the format. Prints nothing if the profile has no paths. */
void pp_path_shares_put(FILE *out, const struct pp_report *report, const char *between,
			void (*put_text)(FILE *out, const char *text));

#endif
