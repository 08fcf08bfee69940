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
	/* --pc: options for $PCT without the directory, malloc'd; NULL: sample call paths instead
	 * of addresses */
	char *words;
	/* events and other options for sampling call paths, passed on in $OPPROBE */
	struct raw_probe_words probe;
	/* do not run a command, but list the bits of -v (1) or of -D (2); 0: run a command */
	unsigned int lists;
	uint64_t rate;		/* value of --rate, in samples per second; 0: not given */
	/* value of csprof's -p, the period of all events; 0: each event has a period of its own */
	uint64_t period;
	bool has_words;		/* whether an option was given that is passed on in $OPPROBE */
	bool has_returns;	/* whether the option --returns was given */
	uint32_t verbose, debug;	/* bits PROBE_VERBOSE_* (verbose.h) */
	bool report;		/* whether to run opreport after the command has ended */
	/* --recover: path of the file to convert instead of running a command; malloc'd */
	char *recover;
	char *dir;		/* path of the directory for the files; malloc'd */
	char **command;		/* the command and its arguments, in argv */
	/* process attributes of opprobe's caller (such as ignored signals), restored for the
	 * command */
	const struct op_caller *caller;
};

/* Parse EVENT[:PERIOD], the value of --event. Return 0, or a negative errno with a message in
 * @error. */
int probe_options_event(struct raw_probe_event *ret, const char *text, struct op_reason *error);

enum ctl_parse probe_options_parse(struct probe_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void probe_options_release(struct probe_options *o);

#endif
