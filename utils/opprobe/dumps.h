/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dumps.h -- copying the files in which programs describe code that they generated at run time
 * (dumps).
 *
 * The copies are kept beside the files with the samples, as in a session (pp/image/jit.h):
 * DIR/jit/PID.dump, PID.agent and PID.map.
 */
#ifndef UTILS_OPPROBE_DUMPS_H
#define UTILS_OPPROBE_DUMPS_H

#include <time.h>

#include "utils/opprobe/report.h"

/*
 * Copy dumps from the directory @tmp ("/tmp") to @dir/jit: those written since @start by
 * processes whose .csp file in @dir is new or changed compared with @before. Any user may create
 * files with any name in /tmp, so accept only regular files that belong to this user and have one
 * name. Return 0, or the negative errno of the last failure with a message in @error.
 */
int probe_dumps_keep(const char *dir, const char *tmp, const struct probe_files *before,
		     time_t start, struct op_reason *error);

#endif
