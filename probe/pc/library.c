// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c -- what a preloaded collector does about calls of the C library that it stands in for.
 *
 * Objects to link stand in for no function, and do not have this file.
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

/* A child of vfork() has what its parent has. */
void hook_filters(bool kills)
{
	struct pc_run *run = pc_here();

	if (run->pid && run->pid != getpid())
		return;
	pc_run_end(run);
	if (kills)
		pc_names_forget_variable(environ, "PCT");
}
