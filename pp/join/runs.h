/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.h -- several runs of one command (operf --repeat), or several periods of time. In such a
 * session each run is a column. The columns of one event are joined to one class, and the counts of
 * single runs show how much runs vary.
 */
#ifndef PP_JOIN_RUNS_H
#define PP_JOIN_RUNS_H

#include "pp/session/session.h"

struct pp_runs {
	/* classes of samples in the session after summing each class over all runs */
	struct pp_classes classes;
	size_t nr;			/* number of runs; 0: the session is one run */
	/* if the runs are periods of time: the share of each period in the total time; NULL: each
	 * run is a whole command, however long the command took */
	double *shares;
	/* number of classes of samples in the session before summing over runs: one for each run
	 * and event */
	size_t nr_source_classes;
	/* for each class of samples in the session: index of its summed class, and number of its
	 * run */
	uint32_t *class_of, *run_of;
};

/* Find the runs of @session, which *@ret refers to. Return 0 or -ENOMEM. */
int pp_runs_find(struct pp_runs *ret, const struct pp_session *session);
/* Free the contents of @runs, which may be zeroed. */
void pp_runs_release(struct pp_runs *runs);

#endif
