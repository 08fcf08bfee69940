/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dumps.h -- copies of the dumps that programs write about code made at run time.
 *
 * They are kept beside the files with the samples: DIR/jit/PID.dump, PID.agent and PID.map, as in a
 * session (pp/image/jit.h).
 */
#ifndef UTILS_OPPROBE_DUMPS_H
#define UTILS_OPPROBE_DUMPS_H

#include <time.h>

#include "utils/opprobe/report.h"

/*
 * Copy from @tmp, which is "/tmp", the dumps that were written since @start by processes with a
 * file in @dir that is new or changed compared with @before. Any user may put a file of any name
 * into /tmp, so accept only regular files of our own user with one name. Return 0, or the negative
 * errno of the last failure with text.
 */
int probe_dumps_keep(const char *dir, const char *tmp, const struct probe_files *before,
		     time_t start, struct op_reason *error);

#endif
