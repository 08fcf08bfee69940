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
	const char *library;	/* that collects */
	char *words;		/* of $PCT, but for the directory; malloc'd. NULL: paths are collected, not addresses */
	struct raw_probe_words probe;	/* events, when paths are collected */
	unsigned int lists;	/* 1: of bits for users, 2: for developers; then there is no command */
	uint64_t rate;		/* value of --rate, which is also an event; 0: not given */
	uint64_t period;	/* of all events; 0: each has its own */
	bool has_words;		/* ... or how */
	bool has_returns;	/* which of them are counted */
	uint32_t tells, tells_developers;	/* probe_tell.h */
	bool report;		/* at the end, of the files of this run */
	char *recover;		/* malloc'd. A file that is to be recovered; then there is no command */
	char *dir;		/* malloc'd */
	char **command;		/* in argv */
	const struct op_caller *caller;	/* restored for the command */
};

/* EVENT[:PERIOD] of --event. 0, or negative with text. */
int probe_options_event(struct raw_probe_event *ret, const char *text, struct op_reason *error);

enum ctl_parse probe_options_parse(struct probe_options *o, int argc, char **argv, FILE *out, struct op_reason *error);
void probe_options_release(struct probe_options *o);

#endif
