/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h -- a lock that lets one operf at a time use a session directory. The lock is on a file
 * that only its user may open. A lock on the directory could be taken by any user who may list the
 * directory.
 */
#ifndef UTILS_OPERF_LOCK_H
#define UTILS_OPERF_LOCK_H

#include "libop/base/reason.h"

/*
 * Lock the session directory. Store the descriptor of the lock in *@ret, for operf_unlock(), or -1
 * on a file system without locks. Return 0, -EBUSY if another operf has the lock, or another
 * negative errno with text.
 */
int operf_lock(int *ret, const char *session_dir, struct op_reason *error);

/* Remove the lock file if it still exists, and unlock. Accepts -1. */
void operf_unlock(int lock, const char *session_dir);

#endif
