// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linked.c -- a program that was linked with itimer.o or profil.o: its pct_on() and pct_off() are called. We leave then.
 *
 * They make system calls of their own and take no lock, so it does not matter what the program holds; that two threads do not
 * call them at once is what the stop is for.
 */
#include "config.h"
#include "utils/attach/method.h"

#include <errno.h>

#define ON	16384	/* bytes of stack */

static int call(struct attach *a, const char *name, struct op_reason *why)
{
	struct attach_call call = { .function = attach_find_function(a, NULL, name) };
	int err;

	if (!call.function)
		return op_fail(why, -ENOENT, "the program was not linked with itimer.o or profil.o, or has no symbols that say so");
	err = attach_may_call(a, why);
	return err ? err : attach_call_safe(a, &call, ON, why);
}

static int begin(struct attach *a, struct op_reason *why)
{
	int err;

	if (a->options->stack)
		return op_fail(why, -EINVAL, "what a static program has in it counts addresses, not call paths");
	if (a->options->has_events)
		return op_fail(why, -EINVAL, "what a static program has in it counts what its $PCT says, not --event");
	if (a->options->dir)
		return op_fail(why, -EINVAL, "what a static program has in it writes where its $PCT says, not to --output");
	err = call(a, "pct_on", why);
	if (err)
		return err;
	return attach_find_open(a, ".pct") ? 0 : op_fail(why, -EACCES, "pct_on() has made no file: the program's own $PCT or $HOME may not allow it");
}

static int stop(struct attach *a, struct op_reason *why)
{
	return call(a, "pct_off", why);
}

const struct attach_method attach_linked = { .name = "linked", .begin = begin, .stop = stop };
