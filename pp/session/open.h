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
	/* properties over which samples are summed, enum pp_merge */
	unsigned int merge;
	/* use only samples in the program's own file, not in libraries or the kernel */
	bool exclude_dependent;
	bool any_axes;			/* allow classes that differ in several axes (classes.h) */
	/* make each session, and each file of a program, a column */
	bool by_source;
	/* make each run of operf --repeat, or each of several periods of time, a column */
	bool runs_apart;
	/* title memory without a file by process and address range */
	bool anon_ranges;
	bool callgraph;			/* use call-graph files; else they are skipped */
	bool paths;			/* use trees of call paths; else they are skipped */
	/* show processes and threads as rows (tasks.h), even if .any_axes is set */
	bool task_rows;
	/* leave out the column of signals SIGSEGV if there are other columns */
	bool one_class;
	/* merge processes and threads that the user did not choose by number */
	bool merge_tasks;
};

#define PP_SESSION_NO_LEAKS	1

/* Open a session. Return 0 or a negative errno with the reason in the log. If the session has no
 * samples, fail with a reason that includes a remedy. If the specification selects bytes that were
 * not freed, but the programs freed all blocks, open no session, store a sentence about this result
 * as the reason, and return PP_SESSION_NO_LEAKS. */
int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log);

#endif
