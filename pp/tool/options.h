/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- parsing of opreport's command line. Combinations of contradictory options are
 * refused.
 */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include <stdbool.h>

#include "pp/tool/common.h"
#include "pp/tool/database.h"
#include "pp/format/format.h"
#include "pp/join/fail_if.h"
#include "pp/profile/sort.h"

enum pp_timeline_by { PP_TIMELINE_NONE, PP_TIMELINE_IMAGES, PP_TIMELINE_SYMBOLS };

struct pp_options {
	struct pp_common common;
	char *output_file;			/* path of the output file; NULL: stdout */
	bool no_pager;
	const struct pp_format_ops *ops;
	struct pp_order order;
	/* sort a differential profile by the size of changes, because --sort was not given */
	bool by_change;
	bool equal_totals;
	/* conditions that --fail-if requested; they determine the exit status */
	struct pp_fail_if *fail_if;
	size_t nr_fail_if;
	bool fold_recursion;
	/* make a column for each session and for each profile (pp/session/open.h) */
	bool by_source;
	/* report the samples of wakers, and no others (pp/session/wakers.h) */
	bool wakers;
	/* make a time line: the samples of each interval, by image or by symbol */
	enum pp_timeline_by timeline;
	struct pp_format_options format;
	struct pp_database database;
};

/* Parse the command line. Return 0, PP_OPTIONS_DONE, or a negative errno with the reason in
 * @log. */
int pp_options_parse(struct pp_options *ret, int argc, const char **argv, struct pp_log *log);
/* Return whether the report is a call tree as text. In such a report, the threshold applies to the
 * sum of a function and its callees. */
bool pp_options_show_tree(const struct pp_options *options);
/* Free the contents of @options, which may be zeroed. */
void pp_options_release(struct pp_options *options);

#endif
