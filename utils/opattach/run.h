/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one run of opattach, with the first method that works.
 */
#ifndef UTILS_OPATTACH_RUN_H
#define UTILS_OPATTACH_RUN_H

#include "utils/opattach/options.h"

/* Return the time limit for the beginning, in milliseconds; the end has the same limit. */
unsigned int attach_begin_ms(const struct attach_options *o);

/* Sample the process; close @begun when sampling has started. Return 0, or a negative errno with
 * text if no method fits. */
int attach_run(const struct attach_options *o, int begun, struct op_reason *error);

#endif
