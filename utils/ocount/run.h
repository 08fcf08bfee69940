/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one measurement, from opening the counters to the last line printed.
 */
#ifndef UTILS_OCOUNT_RUN_H
#define UTILS_OCOUNT_RUN_H

#include "libop/base/reason.h"
#include "utils/ocount/options.h"

/*
 * Measure. Return the exit status: the command's (128 + N when signal N killed it), 0 without a
 * command, or CTL_EXIT_FAILED and its neighbours (run_command.h) with text.
 */
int count_run(const struct count_options *options, struct op_reason *error);

#endif
