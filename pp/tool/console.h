/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console.h -- prints log messages to stderr, and progress on a terminal.
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
	bool show_progress; /* messages are printed on a terminal, so progress can be shown there */
	bool line_shown;		/* a progress line is on the screen */
	uint64_t next_ms;	/* time of the next progress line, in ms of the monotonic clock */
};

/* Initialize the console. @tool and @to must outlive the console. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Erase the progress line. Call this before any other output to the terminal. */
void pp_console_clear(struct pp_console *console);
/* Print the tool's last message, and return its exit status. If @err is negative, the message is
 * the cause of the failure, from the log. If @err is positive, it is an answer that replaces the
 * tool's output, also from the log. */
int pp_console_end(struct pp_console *console, int err);

/* A pager: a process that shows long output page by page. */

struct pp_pager {
	pid_t pid;		/* pid of the pager process; 0: no pager runs */
	/* duplicate of the original stdout, restored when the pager has finished */
	int stdout_fd;
};

/*
 * Start the pager $OPROFILE_PAGER, else $PAGER, else less, and connect stdout to its input. Do
 * nothing if stdout is not a terminal, or if the variable is empty or "cat". The variable is split
 * at blanks; no shell is used. If the pager cannot be run, warn and leave stdout unchanged.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flush and restore stdout, and wait until the user quits the pager. @pager may be zeroed. */
void pp_pager_finish(struct pp_pager *pager);

#endif
