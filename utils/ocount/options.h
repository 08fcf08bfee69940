/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- ocount's command line.
 */
#ifndef UTILS_OCOUNT_OPTIONS_H
#define UTILS_OCOUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/base/process.h"
#include "utils/shared/command_line.h"

enum count_what { COUNT_COMMAND, COUNT_PROCESSES, COUNT_THREADS, COUNT_CPUS, COUNT_SYSTEM };
enum count_format { COUNT_TEXT, COUNT_BRIEF, COUNT_JSON };

struct count_options {
	enum count_what what;
	char **command;		/* of COUNT_COMMAND: ended by NULL, in argv */
	const struct op_caller *caller;	/* restored for the command */
	pid_t *ids;		/* of processes or threads */
	size_t nr_ids;
	char *cpus;		/* of COUNT_CPUS: as on the command line */
	char **events;		/* as on the command line; empty: the default event */
	size_t nr_events;
	bool separate;		/* a row for each thread or CPU */
	enum count_format format;
	unsigned long interval_ms;	/* 0: one sum at the end */
	unsigned long nr_intervals;	/* 0: no limit */
	char *output;		/* NULL: stdout */
	bool verbose;
	unsigned int source;	/* VPERF_MODULE, VPERF_PERF, or 0: either */
};

/*
 * Parse the command line into @o, which is zeroed. Call count_options_release() whatever the
 * result.
 */
enum ctl_parse count_options_parse(struct count_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void count_options_release(struct count_options *o);

#endif
