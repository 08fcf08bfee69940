/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- a command that runs with counters, and its sums at its end.
 */
#ifndef UTILS_OPPERFEX_RUN_H
#define UTILS_OPPERFEX_RUN_H

#include "libop/base/reason.h"
#include "utils/opperfex/options.h"

/* Returns the exit status: the command's (128 + N when signal N killed it), or with text those
 * of run_command.h. */
int perfex_run(const struct perfex_options *options, struct op_reason *error);

#endif
