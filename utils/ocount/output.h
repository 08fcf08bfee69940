/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- output of counts as text, as lines for programs, or as JSON.
 */
#ifndef UTILS_OCOUNT_OUTPUT_H
#define UTILS_OCOUNT_OUTPUT_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "utils/ocount/options.h"
#include "utils/ocount/set.h"

/* The counts of one span of time, and data for printing them. */
struct count_dump {
	const struct count_options *options;
	const char *command;			/* path of the command, for COUNT_COMMAND */
	const struct count_set *set;
	const struct count_value *values;	/* counts as count_set_read() returns them */
	uint64_t ns;				/* length of the span */
	struct timespec end;			/* end of the span on CLOCK_REALTIME */
};

/* Return 0, or nonzero if the counts could not be written. */
int count_print(FILE *out, const struct count_dump *dump);

#endif
