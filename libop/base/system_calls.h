/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_calls.h -- restriction of system calls in processes that read files of other users.
 */
#ifndef OP_BASE_SYSTEM_CALLS_H
#define OP_BASE_SYSTEM_CALLS_H

#include <stddef.h>

/*
 * Restrict the calling thread, and all threads and processes that it creates later, to the @nr
 * system calls in @allowed (SYS_ numbers, at most OP_SYSTEM_CALLS_MAX). Other calls fail with
 * EPERM. If a call uses the numbers of another architecture (such as 32-bit calls on x86_64), the
 * kernel kills the process. PR_SET_NO_NEW_PRIVS must be set. Return 0, -ENOTSUP on an unsupported
 * architecture, or another negative errno.
 */
#define OP_SYSTEM_CALLS_MAX 64
int op_only_system_calls(const int *allowed, size_t nr);

#endif
