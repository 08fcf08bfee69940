/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.h -- adding up the runs of a program in PROGRAM.pct.
 *
 * A run writes to a file of its own, PROGRAM.PID.pct, and is added to the sum when it ends: by
 * itself, or, if it was killed, by the next run. A new sum is written beside the old one and then
 * replaces it. It stores the last run added, so that an interruption at any point neither loses a
 * run nor counts one twice. During this time a file that only the user can open is locked.
 */
#ifndef PROBE_PC_SUM_H
#define PROBE_PC_SUM_H

#include <stdbool.h>

#include "probe/pc/file.h"
#include "probe/pc/names.h"

/* Add all finished runs of the program to its sum. The caller has closed its own file, called @own
 * in the directory. With @truncate, that file alone becomes the sum, and earlier runs are removed.
 * Return 0 or a negative errno; then the files are unchanged, and the next run tries again. */
int pc_sum(const struct pc_names *names, bool truncate, const char *own);

#endif
