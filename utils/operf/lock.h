/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h -- one operf at a time in a session directory.
 *
 * The lock is on a file that its user alone may open: on the directory itself, anybody who may list
 * it could lock it first.
 */
#ifndef UTILS_OPERF_LOCK_H
#define UTILS_OPERF_LOCK_H

#include "libop/base/reason.h"

/*
 * *@ret: of the lock, to be given back; -1 on a file system that has no locks. 0, or negative errno
 * with text; -EBUSY: another operf has it.
 */
int operf_lock(int *ret, const char *session_dir, struct op_reason *error);

/* Takes -1. The file goes, if it is still there. */
void operf_unlock(int lock, const char *session_dir);

#endif
