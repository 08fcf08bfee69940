/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dumps.h -- copies dumps: files in which programs describe their JIT code.
 *
 * The copies are stored below the directory of the sample files, with the same names as in a
 * session (pp/image/jit.h): DIR/jit/PID.dump, PID.agent and PID.map.
 */
#ifndef UTILS_OPPROBE_DUMPS_H
#define UTILS_OPPROBE_DUMPS_H

#include <time.h>

#include "utils/opprobe/report.h"

/*
 * Copy dumps from the directory @tmp ("/tmp") to @dir/jit. Copy those that were written after
 * @start by processes whose .csp file in @dir is new, or has changed since the list @before was
 * made. Any user may create files of any name in /tmp, so accept only regular files that belong to
 * this user and have a single hard link. Return 0, or the negative errno of the last failure with a
 * message in @error.
 */
int probe_dumps_copy(const char *dir, const char *tmp, const struct probe_files *before,
		     time_t start, struct op_reason *error);

#endif
