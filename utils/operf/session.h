/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the session directory of an operf: its lock, and its previous profile.
 *
 * The previous profile is the one that exists when operf starts a new profile. It becomes the
 * session "previous" when the new profile has samples, and is restored otherwise. Until then its
 * name is ".replaced": if operf is killed, the next operf finds and restores it.
 */
#ifndef UTILS_OPERF_SESSION_H
#define UTILS_OPERF_SESSION_H

#include "libop/base/reason.h"

/* All functions return 0, even if no profile exists, or a negative errno with a message in
 * @error. */

/* Rename the profile to ".replaced", before a daemon starts in @session_dir. */
int operf_previous_set_aside(const char *session_dir, struct op_reason *error);

/* Rename ".replaced" to "previous", after the new profile got samples. */
int operf_previous_keep(const char *session_dir, struct op_reason *error);

/* Restore the profile if there is no new profile and no daemon. */
int operf_previous_restore(const char *session_dir, struct op_reason *error);

/*
 * The runs of operf --repeat are saved as sessions run-01, run-02 and so on. Without a session
 * "current", reports read them as runs of one command (pp/session/open.c).
 */

#define OPERF_MAX_RUNS	99

/* Rename "current" to the session of run @number, starting at 1. Run 1 first deletes the runs of an
 * earlier operf. Return 0, or a negative errno with a message in @error. */
int operf_run_keep(const char *session_dir, unsigned int number, struct op_reason *error);

/*
 * A lock prevents two operf from using a session directory at the same time. The lock is on a file
 * that only its user may open: any user who may list a directory could lock the directory itself.
 */

/*
 * Lock the session directory. Store the descriptor of the lock in *@ret, for operf_unlock(), or
 * -1 on a file system without locks. Return 0, -EBUSY if another operf has the lock, or another
 * negative errno with a message in @error.
 */
int operf_lock(int *ret, const char *session_dir, struct op_reason *error);

/* Remove the lock file if it still exists, and unlock. @lock -1: do nothing. */
void operf_unlock(int lock, const char *session_dir);

#endif
