/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- what there is to say of single binaries, told in one line when it is of many: an old
 * session has hundreds of programs that were replaced since.
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

/* Takes the warnings of a binary out of @queue and writes what else there is to @log. -ENOMEM. Binaries
 * come in ascending order. */
int pp_warnings_take(struct pp_warnings *warnings, uint32_t binary, struct pp_log_queue *queue,
		     struct pp_log *log);

/* Tells them, each if there are few or @log is verbose; of binaries with less than @threshold percent, of
 * which a report shows nothing, only to a verbose one. -ENOMEM. */
int pp_warnings_tell(const struct pp_warnings *warnings, const struct pp_profile *profile,
		     double threshold, struct pp_log *log);

/* Takes a zeroed struct. */
void pp_warnings_release(struct pp_warnings *warnings);

#endif
