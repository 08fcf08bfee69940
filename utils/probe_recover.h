/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_recover.h -- what a probe left behind when its program was killed becomes what it would have written.
 */
#ifndef PROBE_RECOVER_H
#define PROBE_RECOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/live_write.h"

/*
 * Makes FILE.csp of FILE.csp.live at @path, mode 0600, and removes that. -EBUSY with text: its program is still running;
 * -EEXIST: there is a FILE.csp; -EUCLEAN: it is no such file. @sums is untouched on failure.
 */
int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error);

/* The same to all of @dir that are our own user's and that no program is writing to. How many were made, whose samples and calls are in @sums; negative errno with text of the last that
 * failed. */
int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error);

/* Add up the FILE.csp.live at @path, which stays. Return 0 or a negative errno; @sums is untouched on failure. */
int probe_recover_add_up(const char *path, struct raw_live_sums *sums);

/* The newest .csp in @dir of the process @pid, or .csp.live of which none could be made, malloc'd; NULL: there is none. */
char *probe_recover_find(const char *dir, pid_t pid);
bool probe_recover_is_left(const char *path);

#endif
