/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- output of counts as text for humans, as lines for programs, or as JSON.
 */
#ifndef UTILS_OCOUNT_OUTPUT_H
#define UTILS_OCOUNT_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "utils/ocount/options.h"
#include "utils/ocount/set.h"

/* Mean and variance of a number over several runs, by Welford's method. Initialize with zeros. */
struct count_spread {
	unsigned long nr;
	double mean;
	double squares;		/* sum of the squared differences from the mean */
};

void count_spread_add(struct count_spread *s, double value);

/* Return the standard deviation of the runs divided by their mean; 0 for less than two runs.
 * Declared for tests. */
double count_spread_deviation(const struct count_spread *s);

/* Return the count of an event. If the event was multiplexed, extrapolate the count to the whole
 * time. */
uint64_t count_scaled(const struct count_value *v);

/* Counts of one measuring interval, and data for printing them. */
struct count_dump {
	const struct count_options *options;
	const char *command;			/* path of the command, for COUNT_COMMAND */
	const struct count_set *set;
	/* counts from count_set_read(); with several runs, their sums */
	const struct count_value *values;
	/* length of the interval in ns; with several runs, the mean */
	uint64_t ns;
	/* .has_times: the next two members are known; user and kernel time of a command, in ns;
	 * with several runs, the means */
	bool has_times;
	uint64_t user_ns, kernel_ns;
	unsigned long nr_runs;			/* number of runs that were counted, at least 1 */
	/* with several runs: deviation of each event's count, and of .ns; else unused */
	const struct count_spread *spreads, *spread_ns;
	struct timespec end;			/* end of the interval on CLOCK_REALTIME */
};

/* Return 0, or nonzero if the counts could not be written. */
int count_print(FILE *out, const struct count_dump *dump);

#endif
