/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.h -- adding up the runs of a program in the file PROGRAM.pct, called the sum.
 *
 * Each run writes its own file PROGRAM.PID.pct, and adds it to the sum when it ends. If a run is
 * killed, the next run of the program adds the file of the killed run. The new sum is written to
 * another file, which then replaces the old sum. The sum stores the id of the run that was added
 * last, so an interruption at any point neither loses a run nor counts it twice. A process that
 * changes the sum locks a file that only the user can open.
 */
#ifndef PROBE_PC_SUM_H
#define PROBE_PC_SUM_H

#include <stdbool.h>

#include "probe/base/names.h"
#include "probe/pc/file.h"

/*
 * Add all finished runs of the program to the program's sum. @own: file name of the caller's run,
 * whose file must be closed. If @truncate, the sum contains only the caller's run, and the files of
 * other finished runs are removed. Return 0 or a negative errno; on failure the files are
 * unchanged, and the next run tries again.
 */
int pc_sum(const struct names *names, bool truncate, const char *own);

#endif
