/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console.h -- a log that prints messages to stderr, and progress on a terminal.
 */
#ifndef PP_CONSOLE_H
#define PP_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "pp/base/log.h"

struct pp_console {
	struct pp_log log; /* must be the first member; the stages of a report write to this log */
	const char *tool;	/* name of the tool, printed before each message */
	FILE *to;
	bool show_progress;	/* messages go to a terminal, so show progress */
	bool line_shown;		/* a progress line is on the screen */
	uint64_t next_ms;	/* time of the next progress line, in ms of the monotonic clock */
};

/* Initialize the console. @tool and @to must outlive the console. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Erase the progress line. Call this before any other output to the terminal. */
void pp_console_clear(struct pp_console *console);
/* Return the tool's exit status, and print its last message. Negative @err: print the cause of the
 * failure, from the log. Positive @err: print the answer in the log, which replaces the tool's
 * output. */
int pp_console_end(struct pp_console *console, int err);

/* A process that shows long output page by page. */

struct pp_pager {
	pid_t pid;		/* pid of the pager; 0: no pager runs */
	int stdout_fd;		/* duplicate of the original stdout */
};

/*
 * Start $OPROFILE_PAGER, else $PAGER, else less, with stdout as its input. Do nothing if stdout is
 * not a terminal, or if the variable is empty or "cat". The variable is split at blanks; no shell
 * is used. If the pager cannot be run, warn and leave stdout unchanged.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flush and restore stdout, and wait until the user quits the pager. @pager may be zeroed. */
void pp_pager_finish(struct pp_pager *pager);

#endif
