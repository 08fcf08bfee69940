/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_once.h -- a log that forwards each warning and note once, for two parts of one report that
 * meet the same problem.
 */
#ifndef PP_LOG_ONCE_H
#define PP_LOG_ONCE_H

#include "pp/base/log.h"

struct pp_log_once {
	struct pp_log log;	/* first: callers write to this log */
	struct pp_log *to;
	char **reported;
	size_t nr;
};

/* @to must outlive @once. pp_log_once_release() copies the reason of a failure to @to. */
void pp_log_once_init(struct pp_log_once *once, struct pp_log *to);
void pp_log_once_release(struct pp_log_once *once);

#endif
