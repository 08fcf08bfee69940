/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_once.h -- a log that passes each warning and note on once, for two parts of one report that meet the same trouble.
 */
#ifndef PP_LOG_ONCE_H
#define PP_LOG_ONCE_H

#include "pp/base/log.h"

struct pp_log_once {
	struct pp_log log;	/* first: what is written to */
	struct pp_log *to;
	char **told;
	size_t nr;
};

/* @to outlives @once, and has the reason of a failure when @once is released. */
void pp_log_once_init(struct pp_log_once *once, struct pp_log *to);
void pp_log_once_release(struct pp_log_once *once);

#endif
