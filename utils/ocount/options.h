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
	/* command and arguments for COUNT_COMMAND, NULL-terminated; points into argv */
	char **command;
	/* the caller's process attributes, to restore for the command */
	const struct op_caller *caller;
	pid_t *ids;		/* ids of the processes or threads to count */
	size_t nr_ids;
	char *cpus;		/* list of CPUs for COUNT_CPUS, as given on the command line */
	char **events;		/* events, as given on the command line; empty: the default event */
	size_t nr_events;
	bool separate;		/* whether to print a row for each thread or CPU */
	enum count_format format;
	/* length of a measuring interval in ms; 0: one interval until the end */
	unsigned long interval_ms;
	unsigned long nr_intervals;	/* number of measuring intervals; 0: no limit */
	unsigned long nr_runs;		/* number of times to run the command, at least 1 */
	char *output;		/* path of the output file; NULL: stdout */
	bool verbose;
	unsigned int source;	/* VPERF_MODULE, VPERF_PERF, or 0: any */
};

/*
 * Parse the command line into the zeroed @o. The caller calls count_options_release(), whatever the
 * result.
 */
enum ctl_parse count_options_parse(struct count_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void count_options_release(struct count_options *o);

#endif
