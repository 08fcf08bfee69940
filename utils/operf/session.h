/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the session directory of an operf: its lock, and its previous profile.
 *
 * The previous profile is the profile that exists when operf begins a new profile. It becomes the
 * session "previous" once the new profile has samples, and is restored otherwise. In the meantime
 * it is the session ".replaced": if operf is killed, the next operf finds and restores it.
 */
#ifndef UTILS_OPERF_SESSION_H
#define UTILS_OPERF_SESSION_H

#include "libop/base/reason.h"

/* All functions return 0, also without a profile, or a negative errno with a message in @error. */

/* Rename the profile to "replaced", before a daemon starts in @session_dir. */
int operf_previous_set_aside(const char *session_dir, struct op_reason *error);

/* Rename "replaced" to "previous", once the new profile has samples. */
int operf_previous_keep(const char *session_dir, struct op_reason *error);

/* Restore the profile, when there is no new profile and no daemon. */
int operf_previous_take_back(const char *session_dir, struct op_reason *error);

/*
 * The runs of operf --repeat are the sessions run-01, run-02 and so on. Reports read them, as runs
 * of one command, as long as there is no session "current" (pp/session/open.c).
 */

#define OPERF_MAX_RUNS	99

/* Rename "current" to the session of run @number, from 1 on. Run 1 deletes the runs of an earlier
 * operf. Return 0, or a negative errno with a message in @error. */
int operf_run_keep(const char *session_dir, unsigned int number, struct op_reason *error);

/*
 * A lock lets one operf at a time use a session directory. The lock is on a file that only its user
 * may open. A lock on the directory could be taken by any user who may list the directory.
 */

/*
 * Lock the session directory. Store the descriptor of the lock in *@ret, for operf_unlock(), or
 * -1 on a file system without locks. Return 0, -EBUSY if another operf has the lock, or another
 * negative errno with a message in @error.
 */
int operf_lock(int *ret, const char *session_dir, struct op_reason *error);

/* Remove the lock file if it still exists, and unlock. Accepts -1. */
void operf_unlock(int lock, const char *session_dir);

#endif
