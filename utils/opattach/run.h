/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- a run of opattach, by the first method that works.
 */
#ifndef UTILS_OPATTACH_RUN_H
#define UTILS_OPATTACH_RUN_H

#include "utils/opattach/options.h"

/* Return the time limit, in milliseconds, for starting to sample. The same limit applies to
 * stopping. */
unsigned int attach_begin_ms(const struct attach_options *o);

/* Sample the process as the options describe. Close the descriptor @begun when sampling has
 * started. Return 0, or a negative errno with text if no method works. */
int attach_run(const struct attach_options *o, int begun, struct op_reason *error);

#endif
