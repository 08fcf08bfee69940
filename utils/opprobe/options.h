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
	const char *library;	/* the library that collects the samples */
	/* of $PCT without the directory; malloc'd. NULL: collect paths, not addresses */
	char *words;
	struct raw_probe_words probe;	/* events, when paths are collected */
	unsigned int lists;	/* list the bits of -v (1) or -D (2) instead of running a command */
	uint64_t rate;		/* value of --rate, which is also an event; 0: not given */
	uint64_t period;	/* one period for all events; 0: each event has its own */
	bool has_words;		/* words of $OPPROBE were given as options */
	bool has_returns;	/* --returns was given */
	uint32_t verbose, debug;	/* bits of verbose.h */
	bool report;		/* print a report at the end */
	char *recover;		/* the file of --recover, instead of a command; malloc'd */
	char *dir;		/* malloc'd */
	char **command;		/* in argv */
	const struct op_caller *caller;	/* restored for the command */
};

/* Parse EVENT[:PERIOD] of --event. Return 0, or a negative errno with text. */
int probe_options_event(struct raw_probe_event *ret, const char *text, struct op_reason *error);

enum ctl_parse probe_options_parse(struct probe_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void probe_options_release(struct probe_options *o);

#endif
