/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- what a probe left behind when its program was killed becomes what it would have written.
 */
#ifndef UTILS_OPPROBE_RECOVER_H
#define UTILS_OPPROBE_RECOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/live_write.h"

/*
 * Makes FILE.csp of FILE.csp.live at @path, mode 0600, and removes that. -EBUSY with text: its program is still running;
 * -EEXIST: there is a FILE.csp; -EUCLEAN: it is no such file. @sums is untouched on failure.
 */
int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error);

/* As above, for all files of @dir that belong to our user and that no program is writing to. Return the number of files
 * made, with their samples and calls in @sums, or a negative errno with the text of the last failure. */
int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error);

/* Add up the FILE.csp.live at @path, without removing it. Return 0, or a negative errno, which leaves @sums untouched. */
int probe_recover_add_up(const char *path, struct raw_live_sums *sums);

/* The newest .csp in @dir of the process @pid, or .csp.live of which none could be made, malloc'd; NULL: there is none. */
char *probe_recover_find(const char *dir, pid_t pid);
bool probe_recover_is_left(const char *path);

#endif
