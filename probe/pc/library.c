// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c -- hooks (wrap/hooks.h), which the replaced functions of the C library call, in a
 * preloaded collector of pc samples.
 *
 * Objects for linking, itimer.o and profil.o, replace no functions and do not contain this file.
 */
#include "config.h"

#include <unistd.h>

#include "probe/pc/here.h"
#include "probe/wrap/hooks.h"

void hook_unloading(void)
{
	if (!pc_here()->code.main_only)
		pc_code_unloading(&pc_here()->code);
}

void hook_unloaded(void)
{
	if (!pc_here()->code.main_only)
		pc_code_unloaded(&pc_here()->code);
}

/* End the run before a seccomp filter is installed, except in a child of vfork(), which shares its
 * parent's memory. */
void hook_filters(bool kills)
{
	struct pc_run *run = pc_here();

	if (run->pid && run->pid != getpid())
		return;
	pc_run_end(run);
	if (kills)
		names_forget_variable(environ, "PCT");
}
