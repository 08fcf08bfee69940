/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console.h -- a log that prints messages to stderr, and progress on a terminal.
 */
#ifndef PP_CONSOLE_H
#define PP_CONSOLE_H

#include <stdint.h>
#include <stdio.h>

#include "pp/base/log.h"

struct pp_console {
	struct pp_log log;	/* first: the stages write to this log */
	const char *tool;	/* the name before each message */
	FILE *to;
	int show_progress;	/* @to is a terminal */
	int line_shown;		/* a line of progress is on the screen */
	uint64_t next_ms;	/* when to show progress next, by the monotonic clock */
};

/* @tool and @to are borrowed. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Erase the line of progress. Call this before printing anything else. */
void pp_console_clear(struct pp_console *console);
/* Finish a tool and return its exit status. Print the log's reason: the cause of the failure if
 * @err is negative, or the answer that replaces the tool's output if it is positive. */
int pp_console_end(struct pp_console *console, int err);

#endif
