// SPDX-License-Identifier: GPL-2.0-or-later
/* hooks.c -- the table of the collector's functions (hooks), which replacements of C library
 * functions call. */
#include "config.h"
#include "probe/wrap/hooks.h"

#include <stddef.h>

/* Global, because seccomp filters belong to the process. .was_filtered: a filter was installed
 * before hooks_set(); .would_kill: the filter would also kill programs that this process
 * executes */
static bool was_filtered, would_kill;

static void before_exec(long kept[4])
{
	kept[0] = 0;
}

static void exec_failed(const long kept[4])
{
	(void)kept;
}

static void thread_begins(bool in_handler)
{
	(void)in_handler;
}

static void allocates(bool is_ours)
{
	(void)is_ours;
}

static bool defers(int sig, const siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	return false;
}

static uint64_t own_signals(void)
{
	return 0;
}

static bool is_here(void)
{
	return false;
}

static void crashed(const siginfo_t *info, const void *context)
{
	(void)info, (void)context;
}

static void filters(bool kills)
{
	was_filtered = true;
	would_kill |= kills;
}

static void do_nothing(void)
{
}

static const struct hooks before_start = {
	.before_exec = before_exec,
	.exec_failed = exec_failed,
	.thread_begins = thread_begins,
	.thread_ends = do_nothing,
	.allocates = allocates,
	.defers = defers,
	.own_signals = own_signals,
	.is_here = is_here,
	.crashed = crashed,
	.exits = do_nothing,
	.filters = filters,
	.unloading = do_nothing,
	.unloaded = do_nothing,
};

const struct hooks *hooks_now = &before_start;

void hooks_set(const struct hooks *hooks)
{
	__atomic_store_n(&hooks_now, hooks, __ATOMIC_RELEASE);
	if (was_filtered)
		hooks->filters(would_kill);
	was_filtered = would_kill = false;
}
