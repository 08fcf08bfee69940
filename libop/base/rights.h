/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h -- removes rights from processes that read files of other users: system calls,
 * capabilities and resources.
 */
#ifndef OP_BASE_RIGHTS_H
#define OP_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/resource.h>

/*
 * Restrict the calling thread, and all threads and processes that it creates later, to the @nr
 * system calls in @allowed (SYS_ numbers, at most OP_SYSTEM_CALLS_MAX). Other calls fail with
 * EPERM. If a call uses the numbers of another architecture (such as 32-bit calls on x86_64), the
 * kernel kills the process. PR_SET_NO_NEW_PRIVS must be set. Return 0, -ENOTSUP on an unsupported
 * architecture, or another negative errno.
 */
#define OP_SYSTEM_CALLS_MAX 64
int op_only_system_calls(const int *allowed, size_t nr);

/* Drop all capabilities of the calling thread. Return 0 or a negative errno. */
int op_drop_capabilities(void);

/* Lower both the soft and the hard limit of @resource (RLIMIT_...) to @value. Limits that are lower
 * already stay. Return 0 or a negative errno. */
int op_lower_limit(int resource, rlim_t value);

#endif
