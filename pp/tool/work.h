/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- the first three stages, as the common options request them: session, images, profile.
 */
#ifndef PP_WORK_H
#define PP_WORK_H

#include <stdbool.h>

#include "pp/tool/common.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_work_options {
	/* specification of the profile; NULL: use the specification in the common options */
	const struct pp_spec *spec;
	bool any_axes;			/* classes may differ in more than one axis */
	bool runs_apart; /* runs are columns (pp/session/session.h) */
	bool by_source; /* sessions and profiles are columns (pp/session/session.h) */
	bool task_rows, merge_tasks; /* how to show processes and threads (pp/session/session.h) */
	bool one_class; /* only one class of samples is allowed (pp/session/session.h) */
	/* members of struct pp_profile_options with the same names */
	bool symbols, details, lines, arcs, paths, call_lines, fold_recursion, inclusive, raw_names;
	/* member of struct pp_profile_options with the same name */
	const struct pp_values *allocators;
};

struct pp_work {
	struct pp_session *session;
	struct pp_images *images;	/* the images; NULL unless symbols were requested */
	struct pp_profile *profile;
};

/* Open the session and the images, and make the profile. Return 0, or a negative errno with the
 * reason in the log. After an error there is nothing to release. */
int pp_work_make(struct pp_work *ret, const struct pp_common *common,
		 const struct pp_work_options *options, struct pp_log *log);
/* Open only the session. Return 0, or a negative errno with the reason in the log. */
int pp_work_open_session(struct pp_session **ret, const struct pp_common *common,
			 const struct pp_work_options *options, struct pp_log *log);
/* Create the images of a session. */
int pp_work_open_images(struct pp_images **ret, const struct pp_common *common,
			const struct pp_session *session, struct pp_log *log);
/* Release the profile, the images and the session. Accepts a zeroed struct. */
void pp_work_release(struct pp_work *work);

#endif
