/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h -- opening of the session that the options and a specification select.
 */
#ifndef PP_SESSION_OPEN_H
#define PP_SESSION_OPEN_H

#include <stdbool.h>

#include "pp/session/session.h"

struct pp_session_options {
	/* the session directory; NULL: ./oprofile_data if it exists, otherwise the default
	 * directory */
	const char *session_dir;
	const struct pp_spec *spec;
	/* axes (such as processes) over which samples are summed, enum pp_merge */
	unsigned int merge;
	/* exclude samples in libraries and the kernel, which the program only uses */
	bool exclude_dependent;
	bool any_axes; /* accept classes (columns) that differ in several axes (classes.h) */
	/* make a column for each session, and for each profile that a program wrote */
	bool by_source;
	/* make a column for each run of operf --repeat, or for each period of time that the user
	 * chose */
	bool runs_apart;
	/* include process and address range in titles of memory without a file */
	bool anon_ranges;
	bool callgraph;			/* also read call-graph files */
	bool paths;			/* also read trees of call paths */
	/* read the samples of wakers, and no others (wakers.h); they have no call paths */
	bool wakers;
	/* the caller opens sample files itself: write the samples of a range of time to files */
	bool as_files;
	/* show processes and threads as rows (tasks.h), even if .any_axes allows columns */
	bool task_rows;
	/* remove the column of SIGSEGV signals if the report has other columns */
	bool one_class;
	/* sum samples over processes and threads that the user did not select by number */
	bool merge_tasks;
};

#define PP_SESSION_NO_LEAKS	1

/* Open a session, which the caller closes. Return 0. If no samples exist, return a negative errno
 * with the reason and a remedy in the log. If the specification selects memory that was not freed,
 * but the programs freed all blocks, return PP_SESSION_NO_LEAKS with a sentence for the user in the
 * log. */
int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log);

#endif
