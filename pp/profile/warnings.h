/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- warnings of single binaries, summed in one line if there are many: an old session
 * may have hundreds of programs that were replaced since.
 */
#ifndef PP_PROFILE_WARNINGS_H
#define PP_PROFILE_WARNINGS_H

#include "pp/base/log_queue.h"
#include "pp/profile/profile.h"

struct pp_warnings {
	struct pp_binary_warning {
		uint32_t binary;	/* index */
		char *text;
	} *items;		/* by binary */
	size_t nr;
};

/* Take the warnings of a binary out of @queue, and write its other messages to @log. Call this
 * in ascending order of binaries. Return 0 or -ENOMEM. */
int pp_warnings_take(struct pp_warnings *warnings, uint32_t binary, struct pp_log_queue *queue,
		     struct pp_log *log);

/* Write the warnings: single ones if there are few or @log is verbose. Binaries below @threshold
 * percent, which the report does not show, are only included if @log is verbose. Return 0 or
 * -ENOMEM. */
int pp_warnings_report(const struct pp_warnings *warnings, const struct pp_profile *profile,
		     double threshold, struct pp_log *log);

/* Takes a zeroed struct. */
void pp_warnings_release(struct pp_warnings *warnings);

#endif
