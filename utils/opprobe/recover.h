/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- conversion of a killed program's .csp.live file to a .csp file.
 */
#ifndef UTILS_OPPROBE_RECOVER_H
#define UTILS_OPPROBE_RECOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/live_write.h"

/*
 * Convert the file FILE.csp.live at @path to FILE.csp, with mode 0600, and remove FILE.csp.live.
 * Return 0, or a negative errno with a message in @error: -EBUSY if the program is still running,
 * -EEXIST if FILE.csp exists, -EUCLEAN if the file is not a .csp.live file. On failure @sums is
 * unchanged.
 */
int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error);

/* Convert all .csp.live files in @dir that belong to this user and are not in use. Return the
 * number of converted files, and the sums of their samples and calls in *@sums; or a negative errno
 * with the message of the last failure in @error. */
int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error);

/* Compute the sums of samples and calls of the .csp.live file at @path, and keep the file. Return
 * 0, or a negative errno; then *@sums is unchanged. */
int probe_recover_add_up(const char *path, struct raw_live_sums *sums);

/*
 * Return the path of the newest .csp file of process @pid in @dir, or of a .csp.live file that
 * could not be converted. The caller frees it. Return NULL if there is neither.
 */
char *probe_recover_find(const char *dir, pid_t pid);
bool probe_recover_is_left(const char *path);

#endif
