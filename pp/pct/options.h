/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- the command line of pct-print.
 */
#ifndef PP_PCT_OPTIONS_H
#define PP_PCT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libop/base/reason.h"

enum pct_by { PCT_BY_PC, PCT_BY_LINE, PCT_BY_SYM, PCT_BY_FUNC, PCT_BY_FILE, PCT_BY_IMAGE };

struct pct_options {
	enum pct_by by;
	/* flags of the command line; int, because popt cannot store a bool */
	int percent, just_pcs, just_cts, rate;
	char *fifo, *image, *translator;
	int lines, timeout_s;
	const char **files;
	size_t nr_files;
	void *popt;
};

enum pct_parse { PCT_RUN, PCT_DONE, PCT_WRONG };

enum pct_parse pct_options_parse(struct pct_options *o, int argc, char **argv, FILE *out,
				 struct op_reason *error);
void pct_options_release(struct pct_options *o);

#endif
