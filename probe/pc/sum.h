/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.h -- runs of a program add up in PROGRAM.pct.
 *
 * A run writes to a file of its own, PROGRAM.PID.pct, and is added when it is over: by itself, or, when it was killed,
 * by the next one. The sum is made anew beside the old one and put in its place, and knows which run it took last; so a
 * sum that was interrupted anywhere neither loses a run nor has one twice. A file that only the user can
 * open is locked meanwhile.
 */
#ifndef PROBE_PC_SUM_H
#define PROBE_PC_SUM_H

#include <stdbool.h>

#include "probe/pc/file.h"
#include "probe/pc/names.h"

/*
 * Adds all runs of the program that are over to its sum. The caller has closed its own file, called @own in the
 * directory. With @truncate that alone becomes the sum, and earlier runs are dropped. 0 or negative errno; then the files are as they were, and the next run tries
 * again.
 */
int pc_sum(const struct pc_names *names, bool truncate, const char *own);

#endif
