/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_calls.h -- a process that reads what strangers wrote keeps only the system calls that takes.
 */
#ifndef OP_BASE_SYSTEM_CALLS_H
#define OP_BASE_SYSTEM_CALLS_H

#include <stddef.h>

/*
 * From now on the calling thread and what it starts may use the @nr calls of @allowed (SYS_ numbers, at most
 * OP_SYSTEM_CALLS_MAX); all others fail with EPERM, and those by another machine's numbers end the process.
 * PR_SET_NO_NEW_PRIVS must have been set. 0, -ENOTSUP where we do not know the machine's numbers, or another negative errno.
 */
#define OP_SYSTEM_CALLS_MAX 64
int op_only_system_calls(const int *allowed, size_t nr);

#endif
