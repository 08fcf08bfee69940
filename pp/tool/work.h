/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- the first three stages of a report: opens the session and the images (binaries), and
 * makes the profile, as the common options request.
 */
#ifndef PP_WORK_H
#define PP_WORK_H

#include <stdbool.h>

#include "pp/tool/common.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_work_options {
	/* specification of the samples to read; NULL: use the specification in the common
	 * options */
	const struct pp_spec *spec;
	/* accept classes (columns) that differ in several axes (pp/session/classes.h) */
	bool any_axes;
	bool runs_apart; /* make a column for each run (pp/session/open.h) */
	bool by_source; /* make a column for each session and each profile (pp/session/open.h) */
	/* how the report shows processes and threads (pp/session/open.h) */
	bool task_rows, merge_tasks;
	bool one_class; /* the report can show only one class of samples (pp/session/open.h) */
	bool wakers; /* report the samples of wakers (pp/session/open.h) */
	bool as_files; /* write the samples of a range of time to files (pp/session/open.h) */
	/* options of struct pp_profile_options with the same names */
	bool symbols, details, lines, arcs, paths, call_lines, fold_recursion, inclusive, raw_names;
	const struct pp_values *allocators;
};

struct pp_work {
	struct pp_session *session;
	/* binaries of the session; NULL if symbols were not requested */
	struct pp_images *images;
	struct pp_profile *profile;
};

/* Open the session and the images (binaries), and make the profile. Return 0; the caller calls
 * pp_work_release(). Otherwise return a negative errno with the reason in the log; the caller has
 * nothing to release. */
int pp_work_make(struct pp_work *ret, const struct pp_common *common,
		 const struct pp_work_options *options, struct pp_log *log);
/* Open only the session. Return 0, or a negative errno with the reason in the log. */
int pp_work_open_session(struct pp_session **ret, const struct pp_common *common,
			 const struct pp_work_options *options, struct pp_log *log);
/* Create the images (binaries) for a session. Return 0, or a negative errno with the reason in the
 * log. */
int pp_work_open_images(struct pp_images **ret, const struct pp_common *common,
			const struct pp_session *session, struct pp_log *log);
/* Release the profile, the images and the session. @work may be zeroed. */
void pp_work_release(struct pp_work *work);

#endif
