/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- counts as text, as lines for programs, or as JSON.
 */
#ifndef UTILS_OCOUNT_OUTPUT_H
#define UTILS_OCOUNT_OUTPUT_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "utils/ocount/options.h"
#include "utils/ocount/set.h"

/* What is told of one span of time. */
struct count_dump {
	const struct count_options *options;
	const char *command;			/* its path; COUNT_COMMAND */
	const struct count_set *set;
	const struct count_value *values;	/* as count_set_read() gives them */
	uint64_t ns;				/* how long it was */
	struct timespec end;			/* of CLOCK_REALTIME */
};

/* Whether it could be written. */
int count_print(FILE *out, const struct count_dump *dump);

#endif
