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
	/* an error: a part of the report, or the whole report, could not be made */
	PP_LOG_ERROR,
	/* a warning: the report was made, but has a problem that the user must know */
	PP_LOG_WARNING,
	/* a note: the report is correct, but may surprise the user */
	PP_LOG_NOTE,
	PP_LOG_VERBOSE,	/* details that are printed only with --verbose */
};

struct pp_log {
	bool verbose;
	/* reason of the last failure that a function returned, set by op_fail(&log->error, ...) */
	struct op_reason error;
	void (*write)(struct pp_log *log, enum pp_log_level level, const char *text);
	/* Show the progress of long work: @done of @of steps are complete. NULL: do not show
	 * progress. */
	void (*progress)(struct pp_log *log, size_t done, size_t of);
};

/*
 * Print a message at the level of the function's name. Replace unsafe characters of the arguments
 * (libop/base/clean.h); newlines in @fmt stay. Call pp_error() if a part of the work failed and the
 * work continues. A function that fails as a whole stores the cause in .error instead.
 */
__attribute__((format(printf, 2, 3))) void pp_error(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_warn(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_note(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_verbose(struct pp_log *log, const char *fmt, ...);

/* Print log->error, or the message of @err if log->error is empty, at PP_LOG_ERROR. Clear
 * log->error. Call this after a failure if the work continues. */
void pp_log_failure(struct pp_log *log, int err);

void pp_progress(struct pp_log *log, size_t done, size_t of);

/* A log that keeps messages until they are flushed, for work done by threads. */

struct pp_log_queue {
	/* must be the first member, because .write casts its address to the queue */
	struct pp_log log;
	struct pp_queued_message {
		enum pp_log_level level;
		char *text;
	} *messages;
	size_t nr;
	bool lost;		/* some messages were discarded, because memory was short */
};

/* Initialise an empty queue. It keeps verbose messages only if @to is verbose. */
void pp_log_queue_init(struct pp_log_queue *queue, const struct pp_log *to);
/* Write all queued messages to @to, copy the queue's .error to @to if it is set, and empty the
 * queue. */
void pp_log_queue_flush(struct pp_log_queue *queue, struct pp_log *to);
/* Discard all messages. @queue may be all zero. */
void pp_log_queue_release(struct pp_log_queue *queue);

/*
 * A log that forwards each distinct warning and note only once. Two stages of a report use it if
 * both may log the same problem.
 */

struct pp_log_once {
	/* must be the first member, because .write casts its address to @once */
	struct pp_log log;
	struct pp_log *to;
	char **reported;
	size_t nr;
};

/* Initialise @once to forward messages to @to, which must outlive @once. pp_log_once_release()
 * copies the .error of @once to @to if it is set. */
void pp_log_once_init(struct pp_log_once *once, struct pp_log *to);
void pp_log_once_release(struct pp_log_once *once);

#endif
