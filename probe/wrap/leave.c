// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leave.c -- the program leaves without exit()'s destructors, or to where the kernel would kill it for a system call of ours.
 */
#include "config.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

static void __attribute__((noreturn)) leave(int status)
{
	hook_leaving();
	for (;;)
		arch_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

EXPORT void _exit(int status)
{
	leave(status);
}

EXPORT void _Exit(int status)
{
	leave(status);
}

EXPORT int prctl(int what, ...)
{
	unsigned long args[4];
	va_list list;
	long ret;

	va_start(list, what);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	/* What is counted up to here is what there is. */
	if (what == PR_SET_SECCOMP && args[0] == SECCOMP_MODE_STRICT)
		hook_leaving();
	ret = arch_call(SYS_prctl, what, args[0], args[1], args[2], args[3], 0);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}
