/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console.h -- where a tool's messages go: stderr, and on a terminal how far long work is.
 */
#ifndef PP_CONSOLE_H
#define PP_CONSOLE_H

#include <stdint.h>
#include <stdio.h>

#include "pp/base/log.h"

struct pp_console {
	struct pp_log log;	/* first: what the stages are given */
	const char *tool;	/* in front of messages */
	FILE *to;
	int show_progress;	/* @to is a terminal */
	int line_shown;		/* a line of progress stands there now */
	uint64_t next_ms;	/* not before; of the monotonic clock */
};

/* @tool and @to are borrowed. */
void pp_console_init(struct pp_console *console, const char *tool, FILE *to);
/* Takes the line of progress away, before anything else is printed. */
void pp_console_clear(struct pp_console *console);
/* Finish a tool and return its exit status. Print the log's reason: the cause of the failure if
 * @err is negative, or the answer that replaces the tool's output if it is positive. */
int pp_console_end(struct pp_console *console, int err);

#endif
