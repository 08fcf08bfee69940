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
	/* options for $PCT without the directory, allocated; NULL: sample call paths, not
	 * addresses */
	char *words;
	struct raw_probe_words probe;	/* events and other options for sampling call paths */
	/* list the names of -v (1) or -D (2) instead of running a command */
	unsigned int lists;
	uint64_t rate;		/* value of --rate, which also sets an event; 0: not given */
	/* period for all events (-p of csprof); 0: each event has its own */
	uint64_t period;
	bool has_words;		/* an option that is a word of $OPPROBE was given */
	bool has_returns;	/* the option --returns was given */
	uint32_t verbose, debug;	/* bits of PROBE_VERBOSE_*, verbose.h */
	bool report;		/* print a report after the end of the command */
	char *recover;		/* the file of --recover, which replaces a command; allocated */
	char *dir;		/* directory of the files; allocated */
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
