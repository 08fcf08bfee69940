// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seccomp.c -- replacements of prctl() and syscall() that detect a new seccomp filter. With such a
 * filter, the kernel may kill the program for the collector's system calls.
 */
#include "config.h"
#include "probe/wrap/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

#define EXPORT	__attribute__((visibility("default")))

void *seccomp_next;

static int end_call(long ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Replacement of syscall() for a C library that does not have this function. */
static long plain_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret = arch_call(nr, a, b, c, d, e, f);

	return call_failed(ret) ? end_call(ret) : ret;
}

/* Return whether @filter may do more than fail system calls, for example kill the process. */
static bool kills(const struct sock_fprog *filter)
{
	for (unsigned int i = 0; i < filter->len; i++) {
		const struct sock_filter *f = &filter->filter[i];
		uint32_t action = f->k & SECCOMP_RET_ACTION_FULL;

		if (BPF_CLASS(f->code) == BPF_RET &&
		    (BPF_RVAL(f->code) != BPF_K ||
		     (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG &&
		      action != SECCOMP_RET_ERRNO)))
			return true;
	}
	return false;
}

/* Report a filter to the collector before it is installed. Ignore a call without a filter
 * program, which only queries features of the kernel. */
static void begin_filter(const struct sock_fprog *filter)
{
	if (filter && filter->filter)
		hooks()->filters(kills(filter));
}

static void see_prctl(long what, long mode, long filter)
{
	if (what == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT)
		hooks()->filters(true);
	else if (what == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER)
		begin_filter((const struct sock_fprog *)filter);
}

static void see_seccomp(long what, long flags, long filter)
{
	if (what == SECCOMP_SET_MODE_STRICT && !flags && !filter)
		hooks()->filters(true);
	else if (what == SECCOMP_SET_MODE_FILTER)
		begin_filter((const struct sock_fprog *)filter);
}

void *seccomp_calls(long nr, long a, long b, long c)
{
	int before = errno;

	if (!seccomp_next)
		seccomp_next = real_function("syscall") ?: (void *)plain_syscall;
	if (nr == SYS_prctl)
		see_prctl(a, b, c);
	else if (nr == SYS_seccomp)
		see_seccomp(a, b, c);
	errno = before;
	return seccomp_next;
}

__attribute__((constructor)) static void find_real(void)
{
	seccomp_calls(-1, 0, 0, 0);
}

EXPORT int prctl(int what, ...)
{
	unsigned long args[4];
	va_list list;

	va_start(list, what);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	see_prctl(what, args[0], args[1]);
	return end_call(arch_call(SYS_prctl, what, args[0], args[1], args[2], args[3], 0));
}
