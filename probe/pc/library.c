// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c -- hooks (wrap/hooks.h) of a preloaded pc sample collector, called by the replaced
 * functions of the C library.
 *
 * The objects itimer.o and profil.o, which programs link, replace no functions and do not contain
 * this file.
 */
#include "config.h"

#include <unistd.h>

#include "probe/pc/here.h"
#include "probe/wrap/hooks.h"

static void unloading(void)
{
	if (!pc_here()->code.main_only)
		pc_code_unloading(&pc_here()->code);
}

static void unloaded(void)
{
	if (!pc_here()->code.main_only)
		pc_code_unloaded(&pc_here()->code);
}

/* End the run before a seccomp filter is installed. Do nothing in a child of vfork(), which
 * shares its parent's memory. */
static void filters(bool kills)
{
	struct pc_run *run = pc_here();

	if (run->pid && run->pid != getpid())
		return;
	pc_run_end(run);
	if (kills)
		names_forget_variable(environ, "PCT");
}

static const struct hooks library_hooks = {
	.filters = filters,
	.unloading = unloading,
	.unloaded = unloaded,
};

/* Set the hooks before the constructor that starts the collector runs. An earlier constructor may
 * install a seccomp filter that forbids the collector's system calls. */
__attribute__((constructor(101))) static void set_hooks(void)
{
	hooks_set(&library_hooks);
}
