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

/* Mean and variance of a number over several runs, computed by Welford's method. Initialize with
 * zeros. */
struct count_spread {
	unsigned long nr;
	double mean;
	double squares;		/* sum of the squared differences from the mean */
};

void count_spread_add(struct count_spread *s, double value);

/* Return the standard deviation of @s divided by its mean; 0 for less than two runs. Declared here
 * for tests. */
double count_spread_deviation(const struct count_spread *s);

/* Return the count of an event. If the event was multiplexed (counted only part of the time),
 * extrapolate the count to the whole time. */
uint64_t count_scaled(const struct count_value *v);

/* The counts of one measuring interval, and data that are printed with the counts. */
struct count_dump {
	const struct count_options *options;
	const char *command;			/* path of the command; only for COUNT_COMMAND */
	const struct count_set *set;
	/* counts as count_set_read() stores them; after several runs, their sums */
	const struct count_value *values;
	/* length of the measuring interval in ns; after several runs, the mean */
	uint64_t ns;
	/* .has_times: whether the two times below are known. The times are the user time and the
	 * system time of a command in ns or, after several runs, the means of these times. */
	bool has_times;
	uint64_t user_ns, kernel_ns;
	/* number of runs whose counts are included, at least 1 */
	unsigned long nr_runs;
	/* after several runs: spread of each event's count, and of .ns; else unused */
	const struct count_spread *spreads, *spread_ns;
	/* end of the measuring interval, time of CLOCK_REALTIME */
	struct timespec end;
};

/* Print the counts in the format of the options. Return 0, or nonzero if @out could not be
 * written. */
int count_print(FILE *out, const struct count_dump *dump);

#endif
