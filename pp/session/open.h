/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h -- opens the session that the options and a specification select.
 */
#ifndef PP_SESSION_OPEN_H
#define PP_SESSION_OPEN_H

#include <stdbool.h>

#include "pp/session/session.h"

struct pp_session_options {
	const char *session_dir; /* NULL: ./oprofile_data if it exists, else the default */
	const struct pp_spec *spec;
	unsigned int merge;		/* enum pp_merge */
	bool exclude_dependent;		/* only samples in the program's own file */
	bool any_axes;			/* allow classes that differ in more than one axis */
	/* make each session, and each file of a program, a column */
	bool by_source;
	bool anon_ranges;		/* name memory without a file by process and range */
	bool callgraph;			/* use call-graph files; else they are skipped */
	bool paths;			/* use trees of call paths; else they are skipped */
	/* even with .any_axes, make processes and threads rows (tasks.h) */
	bool task_rows;
	/* leave out the column of crashes (SIGSEGV) if there are other columns */
	bool one_class;
	/* merge processes and threads that the user did not choose by number */
	bool merge_tasks;
};

#define PP_SESSION_NO_LEAKS	1

/* Open a session. Return 0 or a negative errno with the reason in the log. A session without
 * samples is a failure, whose reason includes the way out. Return PP_SESSION_NO_LEAKS, without a
 * session and with a sentence as the log's reason, if the specification selects bytes that were not
 * freed and all blocks were freed. */
int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log);

#endif
