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
	struct pp_log log;	/* first: the stages write to this log */
	const char *tool;	/* the name before each message */
	FILE *to;
	bool show_progress;	/* @to is a terminal */
	bool line_shown;		/* a line of progress is on the screen */
	uint64_t next_ms;	/* when to show progress next, by the monotonic clock */
};

/* @tool and @to are borrowed. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Erase the line of progress. Call this before printing anything else. */
void pp_console_clear(struct pp_console *console);
/* Finish a tool and return its exit status. Print the log's reason: the cause of the failure if
 * @err is negative, or the answer that replaces the tool's output if it is positive. */
int pp_console_end(struct pp_console *console, int err);

/* A pager for long reports, as git has. */

struct pp_pager {
	pid_t pid;		/* 0: no pager runs */
	int stdout_fd;		/* a copy of the original stdout */
};

/*
 * Start $OPROFILE_PAGER, else $PAGER, else less, with stdout as its input. Do nothing if stdout is
 * not a terminal, or the pager is empty or "cat". The variable is split at blanks, without a shell.
 * If the pager cannot be run, warn and print directly.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flush and restore stdout, and wait until the user quits the pager. @pager may be all zero. */
void pp_pager_finish(struct pp_pager *pager);

#endif
