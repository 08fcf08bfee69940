/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- conversion of the .csp.live file of a killed program to the .csp that it would have
 * written.
 */
#ifndef UTILS_OPPROBE_RECOVER_H
#define UTILS_OPPROBE_RECOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/live_write.h"

/*
 * Convert FILE.csp.live at @path to FILE.csp, mode 0600, and remove the former. Return 0, or a
 * negative errno with text: -EBUSY if its program still runs, -EEXIST if FILE.csp exists, -EUCLEAN
 * if it is not a .csp.live file. @sums is unchanged on failure.
 */
int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error);

/* Convert all .csp.live files in @dir that belong to our user and that no program writes to. Return
 * the number of converted files, with the sums of their samples and calls in @sums, or a negative
 * errno with the text of the last failure. */
int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error);

/* Add the samples and calls of FILE.csp.live at @path to @sums, without removing the file. Return
 * 0, or a negative errno, which leaves @sums unchanged. */
int probe_recover_add_up(const char *path, struct raw_live_sums *sums);

/*
 * Return the malloc'd path of the newest .csp of process @pid in @dir, or of a .csp.live that could
 * not be converted; NULL without either.
 */
char *probe_recover_find(const char *dir, pid_t pid);
bool probe_recover_is_left(const char *path);

#endif
