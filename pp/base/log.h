/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- how the stages tell the user something. They never print: the tool decides where a
 * message goes (stderr), tests collect them.
 */
#ifndef PP_LOG_H
#define PP_LOG_H

#include <stddef.h>

#include "libop/base/reason.h"

enum pp_log_level {
	PP_LOG_ERROR,	/* what cannot be had or made; all of it, when the tool prints @why */
	PP_LOG_WARNING,	/* the report is made, but the user must know */
	PP_LOG_NOTE,	/* all is well, but not everybody expects it */
	PP_LOG_VERBOSE,	/* asked for by --verbose */
};

struct pp_log {
	int verbose;
	struct op_reason why;	/* of the failure that is being carried up: op_fail(&log->why, ...) */
	void (*write)(struct pp_log *log, enum pp_log_level level, const char *text);
	/* How far long work is, @done parts of @of. NULL: nobody wants to know. */
	void (*progress)(struct pp_log *log, size_t done, size_t of);
};

/*
 * What comes in with the arguments is cleaned (libop/base/clean.h); ends of lines in @fmt stay. pp_error() is for a part
 * that failed while the work goes on; why a function fails is in @why.
 */
__attribute__((format(printf, 2, 3))) void pp_error(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_warn(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_note(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_verbose(struct pp_log *log, const char *fmt, ...);

/* A failure that goes no further, because the rest goes on: tells why, and forgets it. */
void pp_log_failure(struct pp_log *log, int err);

void pp_progress(struct pp_log *log, size_t done, size_t of);

#endif
