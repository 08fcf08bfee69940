/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the session directory of an operf: its lock, and its previous profile.
 *
 * The previous profile is the profile that exists when operf starts a new one. If the new profile
 * gets samples, the previous one becomes the session "previous". Otherwise it is restored. While
 * the new profile is taken, the previous profile has the name ".replaced". If this operf is killed,
 * the next operf finds the profile under that name and restores it.
 */
#ifndef UTILS_OPERF_SESSION_H
#define UTILS_OPERF_SESSION_H

#include "libop/base/reason.h"

/* The functions below return 0, even if no profile exists, or a negative errno with a message in
 * @error. */

/* Rename the previous profile to ".replaced". Call this before a daemon starts in @session_dir. */
int operf_previous_set_aside(const char *session_dir, struct op_reason *error);

/* Rename ".replaced" to "previous". Call this after the new profile got samples. */
int operf_previous_save(const char *session_dir, struct op_reason *error);

/* Restore the previous profile from ".replaced", unless a new profile exists or a daemon runs. */
int operf_previous_restore(const char *session_dir, struct op_reason *error);

/*
 * The runs of operf --repeat are saved as sessions run-01, run-02 and so on. Without a session
 * "current", reports read them as runs of one command (pp/session/open.c).
 */

#define OPERF_MAX_RUNS	99

/* Rename the session "current" to the session of run @number, from 1 on. Before run 1 is saved,
 * delete the runs of an earlier operf. Return 0, or a negative errno with a message in @error. */
int operf_run_save(const char *session_dir, unsigned int number, struct op_reason *error);

/*
 * A lock prevents two operf processes from using a session directory at the same time. The lock is
 * on a file that only its user may open, not on the directory: any user who may list a directory
 * could lock it.
 */

/*
 * Lock the session directory. Store the descriptor of the lock in *@ret, for operf_unlock(), or
 * -1 on a file system without locks. Return 0, -EBUSY if another operf has the lock, or another
 * negative errno with a message in @error.
 */
int operf_lock(int *ret, const char *session_dir, struct op_reason *error);

/* Remove the lock file and unlock. If @lock is -1, do nothing. */
void operf_unlock(int lock, const char *session_dir);

#endif
