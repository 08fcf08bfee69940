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
	struct pp_log log; /* must be the first member: the stages of a report write to this log */
	const char *tool;	/* name of the tool, printed before each message */
	FILE *to;
	bool show_progress;	/* messages go to a terminal, so progress is shown */
	bool line_shown;		/* a line of progress is on the screen */
	uint64_t next_ms;	/* time of the monotonic clock at which progress is shown next */
};

/* Initialize the console. @tool and @to must stay valid as long as the console is used. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Erase the line of progress. Call this before printing anything else. */
void pp_console_clear(struct pp_console *console);
/* Finish a tool and return its exit status. If @err is negative, print the cause of the failure,
 * which is in the log. If @err is positive, print the answer in the log, which replaces the tool's
 * output. */
int pp_console_end(struct pp_console *console, int err);

/* A process that shows long reports page by page, as git has. */

struct pp_pager {
	pid_t pid;		/* process of the pager; 0: no pager runs */
	int stdout_fd;		/* a duplicate of the original descriptor of stdout */
};

/*
 * Start $OPROFILE_PAGER, else $PAGER, else less, with stdout as its input. Do nothing if stdout is
 * not a terminal, or the pager is empty or "cat". The value of the variable is split at blanks; no
 * shell is used. If the pager cannot be run, warn, and leave stdout unchanged.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flush and restore stdout, and wait until the user quits the pager. Accepts a zeroed struct. */
void pp_pager_finish(struct pp_pager *pager);

#endif
