/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- opperfex's command line.
 */
#ifndef UTILS_OPPERFEX_OPTIONS_H
#define UTILS_OPPERFEX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "libvperf/vperf.h"
#include "libop/base/process.h"
#include "utils/shared/command_line.h"

enum perfex_what {
	PERFEX_COMMAND,
	PERFEX_INFO,
	PERFEX_LIST,
	PERFEX_LIST_LONG,
	PERFEX_COSTS,
	PERFEX_WHO
};

struct perfex_options {
	enum perfex_what what;
	/* the command and its arguments in argv, terminated by NULL; only for PERFEX_COMMAND */
	char **command;
	/* process attributes of opperfex's caller (such as ignored signals), restored for the
	 * command */
	const struct op_caller *caller;
	char **events;		/* names of events, as on the command line */
	size_t nr_events;
	/* path of the output file; NULL: stderr, because stdout belongs to the command */
	char *output;
	bool children;
	/* VPERF_MODULE or VPERF_PERF; 0: the first of both that is available */
	unsigned int source;
};

/* Parse the command line into a zeroed @o. The caller calls perfex_options_release(), whatever the
 * result. */
enum ctl_parse perfex_options_parse(struct perfex_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error);
void perfex_options_release(struct perfex_options *o);

#endif
