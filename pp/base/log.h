/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- messages of the stages to the user. The stages never print: a tool writes messages to
 * stderr, and tests collect them.
 */
#ifndef PP_LOG_H
#define PP_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/reason.h"

enum pp_log_level {
	/* a part of the report failed; or the whole report, when the tool prints .error */
	PP_LOG_ERROR,
	PP_LOG_WARNING,	/* the report is made, but the user must know of a problem */
	PP_LOG_NOTE,	/* there is no problem, but some users do not expect the result */
	PP_LOG_VERBOSE,	/* printed with --verbose only */
};

struct pp_log {
	bool verbose;
	/* the reason of the failure that a function returns: op_fail(&log->error, ...) */
	struct op_reason error;
	void (*write)(struct pp_log *log, enum pp_log_level level, const char *text);
	/* Show the progress of long work: @done parts of @of. NULL: progress is not shown. */
	void (*progress)(struct pp_log *log, size_t done, size_t of);
};

/*
 * Arguments are cleaned (libop/base/clean.h); newlines in @fmt stay. Call pp_error() for a part
 * that failed while the work continues; a function that fails stores the reason in .error.
 */
__attribute__((format(printf, 2, 3))) void pp_error(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_warn(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_note(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_verbose(struct pp_log *log, const char *fmt, ...);

/* Report the reason of a failure after which the work continues, and clear it. */
void pp_log_failure(struct pp_log *log, int err);

void pp_progress(struct pp_log *log, size_t done, size_t of);

/* A log that keeps messages until they are flushed, for work done by threads. */

struct pp_log_queue {
	struct pp_log log;	/* first: callers write to this log */
	struct pp_queued_message {
		enum pp_log_level level;
		char *text;
	} *messages;
	size_t nr;
	bool lost;		/* messages were discarded, out of memory */
};

/* Keep messages of the levels that @to accepts. */
void pp_log_queue_init(struct pp_log_queue *queue, const struct pp_log *to);
/* Write all messages and the reason of a failure to @to, and empty the queue. */
void pp_log_queue_flush(struct pp_log_queue *queue, struct pp_log *to);
/* Discard all messages. @queue may be all zero. */
void pp_log_queue_release(struct pp_log_queue *queue);

/*
 * A log that forwards each warning and note once, for two parts of one report that meet the same
 * problem.
 */

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
