/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- a command that runs with counters, and its sums at its end.
 */
#ifndef UTILS_OPPERFEX_RUN_H
#define UTILS_OPPERFEX_RUN_H

#include "libop/base/reason.h"
#include "utils/opperfex/options.h"

/* Run the command and print its sums. Return the exit status: that of the command (128 + N if
 * signal N killed it), or a status of run_command.h with text. */
int perfex_run(const struct perfex_options *options, struct op_reason *error);

#endif
