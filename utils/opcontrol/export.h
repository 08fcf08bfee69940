/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.h -- opcontrol --export: classic sample files of a range of time. */
#ifndef UTILS_OPCONTROL_EXPORT_H
#define UTILS_OPCONTROL_EXPORT_H

#include <stdio.h>

#include "libop/base/reason.h"

/*
 * Add up the intervals of @period ("TIME..TIME") in the session directory @session_dir, and write
 * the sum to the session directory @to, which must be missing or empty. The sum of the last kernel
 * is the current session, and the sums of earlier kernels are saved sessions. Print a summary to
 * @out. Return 0, or a negative errno with text; then @to is as before.
 */
int ctl_export(FILE *out, const char *session_dir, const char *period, const char *to,
	       struct op_reason *error);

#endif
