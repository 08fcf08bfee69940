/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opprobe's command line.
 */
#ifndef UTILS_OPPROBE_OPTIONS_H
#define UTILS_OPPROBE_OPTIONS_H

#include <stdbool.h>

#include "libop/raw/probe_words.h"
#include "libop/base/process.h"
#include "utils/shared/command_line.h"

struct probe_options {
	const char *library;	/* name of the library to preload */
	/* options for $PCT without the directory, malloc'd; NULL: sample call paths instead of
	 * addresses */
	char *words;
	struct raw_probe_words probe;	/* events and other options for call paths */
	/* instead of running a command, list the names for -v (1) or -D (2) */
	unsigned int lists;
	uint64_t rate;		/* value of --rate, which also adds an event; 0: not given */
	/* period for all events (csprof's -p); 0: each event has its own */
	uint64_t period;
	bool has_words;		/* an option that equals an option of $OPPROBE was given */
	bool has_returns;	/* the option --returns was given */
	uint32_t verbose, debug;	/* bits PROBE_VERBOSE_* (verbose.h) */
	bool report;		/* print a report after the end of the command */
	/* file of --recover, to convert instead of running a command; malloc'd */
	char *recover;
	char *dir;		/* directory of the files; malloc'd */
	char **command;		/* the command and its arguments, in argv */
	/* the caller's process attributes, to restore for the command */
	const struct op_caller *caller;
};

/* Parse EVENT[:PERIOD], the value of --event. Return 0, or a negative errno with a message in
 * @error. */
int probe_options_event(struct raw_probe_event *ret, const char *text, struct op_reason *error);

enum ctl_parse probe_options_parse(struct probe_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void probe_options_release(struct probe_options *o);

#endif
