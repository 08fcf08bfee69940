/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one profile of operf, from setting the old profile aside to the last sample on disk.
 */
#ifndef UTILS_OPERF_RUN_H
#define UTILS_OPERF_RUN_H

#include "libop/base/reason.h"
#include "utils/operf/options.h"

/*
 * Run one profile. Return the exit status: that of the command (128 + N if signal N killed it), 0
 * if there was no command, or a status of run_command.h with text.
 */
int operf_run(const struct operf_options *options, struct op_reason *error);

#endif
