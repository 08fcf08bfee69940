// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linked.c -- the method that uses a pc sample collector which is already in the process: the
 * program was linked with itimer.o or profil.o, or has loaded libitimer.so or libprofil.so.
 * opattach calls the collector and exits.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "utils/opprobe/program.h"

#define ON	16384	/* number of bytes of stack that a call of the collector needs */

static const char *const places[] = { NULL, ATTACH_COLLECTOR, "libprofil.so" };

/* Return a call of the collector's function @name. .function or .state is 0 if the process has no
 * pc sample collector. */
static struct attach_call find(struct attach *a, const char *name)
{
	struct attach_call call = { .function = 0 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !call.function; i++) {
		call.function = attach_find_function(a, places[i], name);
		call.state = attach_find_variable(a, places[i], "pct_attach_state");
	}
	return call;
}

static int fail_absent(struct op_reason *error)
{
	return op_fail(error, -ENOENT,
		       "the process was not linked with itimer.o or profil.o of pct(1) and has not "
		       "loaded their libraries, or it has no symbols by which to find them");
}

int attach_collector_check(const struct attach *a, struct op_reason *error)
{
	const struct raw_probe_words *asked = &a->options->probe;

	if (a->options->stack)
		return op_fail(error, -EINVAL,
			       "the library of pct(1) in the process records no call paths");
	if (asked->nr_events > 1 || asked->events[0].kind->by != RAW_PROBE_BY_DRIVER)
		return op_fail(error, -EINVAL,
			       "cannot sample this event: the library of pct(1) in the process samples "
			       "only CPU time");
	return 0;
}

/* Store two NUL-terminated strings in @buf: the options in the syntax of $PCT (empty: use the
 * program's own $PCT), and @library. Return the length of both strings. */
static size_t make_words(const struct attach *a, const char *library, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	if (a->options->has_events)
		len += snprintf(buf, size, "q%llu",
				(unsigned long long)(a->options->probe.events[0].period + 999) /
					1000);
	if (a->dir)
		len += snprintf(buf + len, size - len, "o%s", a->dir);
	len++;
	if (len < size)
		len += snprintf(buf + len, size - len, "%s", library) + 1;
	return len;
}

int attach_collector_begin(struct attach *a, const char *library, struct op_reason *error)
{
	char words[ATTACH_DATA];
	struct attach_call call = find(a, "pct_attach");
	int err;

	if (!call.function || !call.state)
		return op_fail(error, -ENOENT,
			       "the process was not linked with itimer.o or profil.o of "
			       "pct(1) and has not loaded their libraries, or has an old "
			       "version that opattach cannot call");
	call.is_offset[0] = true;
	call.data = words;
	call.len = make_words(a, library, words, sizeof(words));
	if (call.len >= sizeof(words))
		return op_fail(error, -ENAMETOOLONG, "%s: the name is too long",
			       a->dir ? a->dir : library);
	err = attach_call_safe(a, &call, ON, error);
	if (err)
		return err;
	return attach_find_open(a, ".pct") ?
		       0 :
		       op_fail(error, -EACCES, "the collector in the process has created no file "
					       "in %s",
			       a->dir ? a->dir : "the directory of its own $PCT or $HOME");
}

/* Check that the options are compatible with a collector that already counts in the process. Return
 * 0, or a negative errno with a message in @error. */
static int check_own(struct attach *a, struct op_reason *error)
{
	if (!attach_find_open(a, ".pct"))
		return a->options->dir ? attach_make_dir(a, error) : 0;
	if (a->options->has_events)
		return op_fail(
			error, -EEXIST,
			"the collector in the process cannot change the period that it was "
			"started with");
	if (a->options->dir && !attach_is_in(a->path, a->options->dir))
		return op_fail(error, -EEXIST,
			       "the collector in the process continues to write %s and cannot "
			       "write another file",
			       a->path);
	return 0;
}

static int begin(struct attach *a, struct op_reason *error)
{
	char *library = NULL;
	int err;

	if (!find(a, "pct_attach").function)
		return fail_absent(error);
	err = attach_collector_check(a, error);
	if (!err)
		err = attach_may_call(a, error);
	if (!err)
		err = check_own(a, error);
	if (err)
		return err;
	library = attach_visible_library(a, ATTACH_COLLECTOR);
	err = attach_collector_begin(a, library ? library : "", error);
	free(library);
	return err;
}

static int stop(struct attach *a, struct op_reason *error)
{
	const struct attach_call call = find(a, "pct_detach");
	int err;

	if (!call.function || !call.state)
		return fail_absent(error);
	err = attach_may_call(a, error);
	return err ? err : attach_call_safe(a, &call, ON, error);
}

const struct attach_method attach_linked = { .name = "linked", .begin = begin, .stop = stop };
