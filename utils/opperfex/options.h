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
	char **command;		/* PERFEX_COMMAND: NULL at the end. Points into argv. */
	const struct op_caller *caller;	/* restored for the command */
	char **events;		/* as written */
	size_t nr_events;
	char *output;		/* NULL: stderr, as the command has stdout */
	bool children;
	unsigned int source;	/* VPERF_MODULE, VPERF_PERF, 0: whichever there is */
};

/* @o: zeroed. perfex_options_release() it whatever the result. */
enum ctl_parse perfex_options_parse(struct perfex_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error);
void perfex_options_release(struct perfex_options *o);

#endif
