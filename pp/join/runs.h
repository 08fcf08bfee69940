/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.h -- several runs of one command (operf --repeat), or several periods of time: a session in
 * which each run is a column.
 * The columns of one event are joined to a class; the single runs show how much runs vary.
 */
#ifndef PP_JOIN_RUNS_H
#define PP_JOIN_RUNS_H

#include "pp/session/session.h"

struct pp_runs {
	struct pp_classes classes;	/* classes of the session, without the axis of runs */
	size_t nr;			/* number of runs; 0: the session is one run */
	/* the shares of the runs in the time of all runs, if they are periods of time; NULL: each
	 * run was the whole command, however long it took */
	double *shares;
	/* number of classes of the session, before runs are merged */
	size_t nr_source_classes;
	/* for each class of the session: its index in .classes, and the number of its run */
	uint32_t *class_of, *run_of;
};

/* Fill in *@ret, which refers to @session. Return 0 or -ENOMEM. */
int pp_runs_find(struct pp_runs *ret, const struct pp_session *session);
/* Accepts a zeroed struct. */
void pp_runs_release(struct pp_runs *runs);

#endif
