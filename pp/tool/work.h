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
	const struct pp_spec *spec;	/* NULL: use the value of the common options */
	bool any_axes;			/* classes may differ in more than one axis */
	bool by_source;			/* sessions and files are columns; session.h */
	bool task_rows, merge_tasks;	/* how to show processes and threads; session.h */
	bool one_class;			/* session.h */
	/* pp_profile_options */
	bool symbols, details, lines, arcs, paths, call_lines, fold_recursion, inclusive, raw_names;
	const struct pp_values *allocators;	/* likewise */
};

struct pp_work {
	struct pp_session *session;
	struct pp_images *images;	/* NULL unless symbols were requested */
	struct pp_profile *profile;
};

/* Return 0, or a negative errno with the reason in the log; then there is nothing to release. */
int pp_work_make(struct pp_work *ret, const struct pp_common *common,
		 const struct pp_work_options *options, struct pp_log *log);
/* The session alone. */
int pp_work_open_session(struct pp_session **ret, const struct pp_common *common,
			 const struct pp_work_options *options, struct pp_log *log);
/* The images of a session. */
int pp_work_open_images(struct pp_images **ret, const struct pp_common *common,
			const struct pp_session *session, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_work_release(struct pp_work *work);

#endif
