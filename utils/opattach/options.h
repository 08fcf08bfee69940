/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opattach's command line.
 */
#ifndef UTILS_OPATTACH_OPTIONS_H
#define UTILS_OPATTACH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/raw/probe_words.h"
#include "utils/shared/command_line.h"

struct attach_options {
	pid_t pid;
	bool stops;			/* whether --stop was given */
	bool explains;
	/* whether the user requires addresses (--pc) or call paths (--stack); both false: use the
	 * first method that works */
	bool pc, stack;
	/* duration of sampling in milliseconds; 0: until sampling is stopped or the process ends */
	unsigned int ms;
	struct raw_probe_words probe;	/* the events to record, at least one */
	bool has_events;		/* whether --event was given */
	/* value of --output, malloc'd; NULL: the default directory */
	char *dir;
};

enum ctl_parse attach_options_parse(struct attach_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error);
void attach_options_release(struct attach_options *o);

#endif
