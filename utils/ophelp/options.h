/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- ophelp's command line.
 */
#ifndef UTILS_OPHELP_OPTIONS_H
#define UTILS_OPHELP_OPTIONS_H

#include <stddef.h>

#include "libop/base/reason.h"

enum help_action {
	/* list all events or, with arguments, details of the named events */
	HELP_LIST,
	HELP_CHECK_EVENTS,
	HELP_UNIT_MASK,		/* print the default unit mask of an event */
	HELP_EXTRA_MASK,	/* print the extra bits of an event's unit mask */
	HELP_GET_CPU_TYPE,
	HELP_GET_DEFAULT_EVENT,
	HELP_LIST_CPU_TYPES,
	HELP_VERSION,
	HELP_DONE,		/* popt has printed the help text */
};

enum help_output { HELP_TEXT, HELP_XML, HELP_JSON };

struct help_options {
	enum help_action action;
	enum help_output output;
	char *cpu_type;		/* name of the CPU type; NULL: this machine */
	int ignore_count;
	/* --callgraph: maximum depth of call stacks; 0: samples have no call stacks */
	int callgraph;
	char **args;		/* names of events from the command line, terminated by NULL */
	size_t nr_args;
};

/* Parse the command line into a zeroed @opt. Return 0, -EINVAL with a message in @error for an
 * invalid command line, or -ENOMEM. */
int help_options_parse(struct help_options *opt, int argc, const char **argv,
		       struct op_reason *error);
void help_options_release(struct help_options *opt);

#endif
