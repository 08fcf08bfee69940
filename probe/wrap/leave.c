// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leave.c -- replacements of _exit() and similar functions, which do not run the destructors that
 * exit() runs.
 */
#include "config.h"

#include <unistd.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

static void __attribute__((noreturn)) leave(int status)
{
	hooks()->exits();
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
