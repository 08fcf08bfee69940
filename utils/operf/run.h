/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one profile, from the old one put away to the last sample written.
 */
#ifndef UTILS_OPERF_RUN_H
#define UTILS_OPERF_RUN_H

#include "libop/base/reason.h"
#include "utils/operf/options.h"

/*
 * Returns the exit status: the command's (128 + N when signal N killed it), 0 without command, or
 * one of the above with text.
 */
int operf_run(const struct operf_options *options, struct op_reason *error);

#endif
