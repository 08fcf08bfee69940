/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dumps.h -- what programs said of code that they made, kept beside the files with their samples: DIR/jit/PID.dump,
 * PID.agent and PID.map, as a session has them (pp/image/jit.h).
 */
#ifndef UTILS_OPPROBE_DUMPS_H
#define UTILS_OPPROBE_DUMPS_H

#include <time.h>

#include "utils/opprobe/report.h"

/*
 * Copies from @tmp, which is "/tmp", what the processes that files in @dir are of have written there since @start, if those files are
 * not as they were @before. Anybody may put a file of any name there: only regular files of our own user with one name are
 * taken. 0, or the negative errno of the last that could not be kept, with text.
 */
int probe_dumps_keep(const char *dir, const char *tmp, const struct probe_files *before, time_t start, struct op_reason *error);

#endif
