/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h -- makes a session of what options and a specification ask for.
 */
#ifndef PP_SESSION_OPEN_H
#define PP_SESSION_OPEN_H

#include "pp/session/session.h"

struct pp_session_options {
	const char *session_dir; /* NULL: ./oprofile_data when there is one, else the default */
	const struct pp_spec *spec;
	unsigned int merge;		/* enum pp_merge */
	int exclude_dependent;		/* only samples in the program's own file */
	int any_axes;			/* classes may differ in more than one axis */
	int by_source;			/* each session, and each file of a program's own, is a column */
	int anon_ranges;		/* memory without a file by process and range */
	int callgraph;			/* call-graph files count; else they are left out */
	int paths;			/* so do trees of call paths */
	int task_rows;			/* though .any_axes, processes and threads are rows (tasks.h) */
	int one_class;			/* leave out signals that a probe counted in addition to samples */
	int merge_tasks;		/* nor rows, but added up, where they are not chosen by number */
};

#define PP_SESSION_NO_LEAKS	1

/* Open a session. Return 0 or a negative errno with the reason in the log. A session without
 * samples is a failure, whose reason includes the way out. Return PP_SESSION_NO_LEAKS, without a
 * session and with a sentence as the log's reason, if the specification selects bytes that were not
 * freed and all blocks were freed. */
int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log);

#endif
