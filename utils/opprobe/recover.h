/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- converts the .csp.live file of a killed program to a .csp file.
 */
#ifndef UTILS_OPPROBE_RECOVER_H
#define UTILS_OPPROBE_RECOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/live_to_csp.h"

/*
 * Convert the file FILE.csp.live at @path to FILE.csp (mode 0600), and remove FILE.csp.live. Return
 * 0, or a negative errno with a message in @error: -EBUSY if the program is still running, -EEXIST
 * if FILE.csp exists, -EUCLEAN if the contents are not of a .csp.live file. On failure @sums is
 * unchanged.
 */
int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error);

/* Convert all .csp.live files in @dir that belong to this user and that no running program uses.
 * Return the number of converted files, and store the sums of their samples and calls in *@sums. If
 * a file could not be converted, return a negative errno with the last message in @error. */
int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error);

/* Compute the sums of samples and calls in the .csp.live file @path without changing the file.
 * Return 0, or a negative errno; on failure *@sums is unchanged. */
int probe_recover_add_up(const char *path, struct raw_live_sums *sums);

/*
 * Return the path of the newest .csp file of process @pid in @dir, or of a .csp.live file that
 * could not be converted. The caller frees the path. Return NULL if neither file exists.
 */
char *probe_recover_find(const char *dir, pid_t pid);
bool probe_recover_is_left(const char *path);

#endif
