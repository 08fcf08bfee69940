/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opreport's command line: parsed, and refused where options contradict each other.
 */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include "pp/format/format.h"
#include "pp/image/demangle.h"
#include "pp/log.h"
#include "pp/profile/sort.h"
#include "pp/session/spec.h"

struct pp_options {
	char *session_dir, *image_path, *root, *output_file;	/* NULL: not given */
	unsigned int merge;
	int exclude_dependent;
	int symbols;
	enum pp_demangle demangle;
	double threshold;		/* percent */
	struct pp_order order;
	struct pp_values include_symbols, exclude_symbols;
	struct pp_spec spec;
	struct pp_format_options format;
	int verbose;
};

#define PP_OPTIONS_DONE	1	/* --help, --usage or --version was asked for, and printed */

/* 0, PP_OPTIONS_DONE, or PP_ERR_TOLD with the reason in @log. */
int pp_options_parse(struct pp_options *ret, int argc, const char **argv, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_options_release(struct pp_options *options);

#endif
