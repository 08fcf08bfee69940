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
	bool stops;			/* --stop was given */
	bool explains;
	/* the user requires addresses (--pc) or call paths (--stack); both false: the first method
	 * that works decides */
	bool pc, stack;
	/* duration in milliseconds; 0: until sampling is stopped or the process ends */
	unsigned int ms;
	struct raw_probe_words probe;	/* the requested events, at least one */
	bool has_events;		/* --event was given */
	char *dir;			/* value of --output, allocated; NULL: the default */
};

enum ctl_parse attach_options_parse(struct attach_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error);
void attach_options_release(struct attach_options *o);

#endif
