/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- how the stages tell the user something. They never print: the tool decides where a
 * message goes (stderr), tests collect them.
 */
#ifndef PP_LOG_H
#define PP_LOG_H

#include <stddef.h>

enum pp_log_level {
	PP_LOG_ERROR,	/* why the report cannot be made */
	PP_LOG_WARNING,	/* the report is made, but the user must know */
	PP_LOG_NOTE,	/* all is well, but not everybody expects it */
	PP_LOG_VERBOSE,	/* asked for by --verbose */
};

struct pp_log {
	int verbose;
	void (*write)(struct pp_log *log, enum pp_log_level level, const char *text);
	/* How far long work is, @done parts of @of. NULL: nobody wants to know. */
	void (*progress)(struct pp_log *log, size_t done, size_t of);
};

/* What comes in with the arguments is cleaned (libop/base/clean.h); ends of lines in @fmt stay. */
__attribute__((format(printf, 2, 3))) void pp_error(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_warn(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_note(struct pp_log *log, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void pp_verbose(struct pp_log *log, const char *fmt, ...);

/* A text of several lines that op_clean_printf() made. */
void pp_error_lines(struct pp_log *log, const char *text);

void pp_progress(struct pp_log *log, size_t done, size_t of);

/*
 * What an error text said already: functions that have a log return this instead of an errno when
 * the user has been told, so that the tool does not say it twice.
 */
#define PP_ERR_TOLD	(-7000)

/* Logs "out of memory" and returns PP_ERR_TOLD. */
int pp_oom(struct pp_log *log);

#endif
