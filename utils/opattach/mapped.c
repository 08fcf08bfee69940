// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped.c -- the method for a running static program that contains no collector: opattach maps the
 * code of a pc sample collector (probe/pc/mapped.c) into the process, calls it, and exits. The
 * collector takes no lock of the program and makes system calls directly.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/plural.h"
#include "utils/opattach/children.h"
#include "utils/opattach/code.h"

#define FILE_NAME	"pct_mapped.bin"
#define CALLING		16384	/* number of bytes of stack that the call needs */

/* Return whether the signal set @name in the status of thread @tid (0: of the process) contains the
 * collector's signal. */
static bool has_signal(const struct attach_target *t, pid_t tid, const char *name)
{
	char text[64];

	return attach_target_status(t, tid, name, text, sizeof(text)) &&
	       strtoull(text, NULL, 16) >> (SIGURG - 1) & 1;
}

/* Return whether the program handles, ignores or blocks the collector's signal, so that the
 * collector cannot use it. */
static bool uses_signal(const struct attach_target *t)
{
	bool uses = has_signal(t, 0, "SigCgt") || has_signal(t, 0, "SigIgn");
	pid_t *tids;
	int nr = attach_target_threads(t, &tids);

	for (int i = 0; i < nr && !uses; i++)
		uses = has_signal(t, tids[i], "SigBlk");
	if (nr >= 0)
		free(tids);
	return uses;
}

static int check(struct attach *a, struct op_reason *error)
{
	const struct raw_probe_words *asked = &a->options->probe;

	if (a->target.is_dynamic)
		return op_fail(error, -ENOEXEC,
			       "the program is dynamic: it can only load the probe");
	if (a->options->stack)
		return op_fail(error, -EINVAL,
			       "the collector mapped into a static program counts addresses, not "
			       "call paths");
	if (asked->nr_events > 1 || asked->events[0].kind->by != RAW_PROBE_BY_DRIVER)
		return op_fail(error, -EINVAL,
			       "the collector mapped into a static program samples only CPU time");
	if (attach_has_children(&a->target))
		return op_fail(error, -ECHILD,
			       "the process starts others, which are sampled from outside only");
	return attach_may_call(a, error);
}

/* Return the process's id in its own pid namespace. */
static uint32_t own_pid(const struct attach_target *t)
{
	char text[256], *last;

	if (!attach_target_status(t, 0, "NSpid", text, sizeof(text)))
		return t->pid;
	last = strrchr(text, '\t');
	return atoi(last ? last + 1 : text);
}

/* Read the state of the mapped collector. Return false if the collector has not counted in this
 * process. */
static bool read_state(const struct attach *a, const struct attach_code *p,
		       struct raw_mapped_state *state)
{
	return attach_target_read(&a->target, p->at + p->head.state, state, sizeof(*state)) &&
	       state->pid == own_pid(&a->target);
}

/* Store the options in the syntax of $PCT. The collector ignores them if it has a file open. CPU
 * time clocks have at most the rate of the kernel's ticks. */
static size_t make_words(const struct attach *a, char *buf, size_t size)
{
	uint64_t period = a->options->probe.events[0].period, tick;
	struct timespec t = { 0, 0 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	tick = t.tv_sec * 1000000000ULL + t.tv_nsec;
	if (period < tick)
		period = tick;
	return snprintf(buf, size, "q%lluo%s", (unsigned long long)(period + 999) / 1000,
			a->dir ? a->dir : ".") + 1;
}

static int count(struct attach *a, const struct attach_code *p, struct op_reason *error)
{
	char words[ATTACH_DATA];
	struct attach_call call = {
		.function = p->at + p->head.on, .is_offset = {true}, .data = words};
	struct raw_mapped_state state;
	int err;

	call.len = make_words(a, words, sizeof(words));
	if (call.len > sizeof(a->path))
		return op_fail(error, -ENAMETOOLONG, "%s: the name is too long", a->dir);
	err = attach_call_safe(a, &call, CALLING, error);
	if (err)
		return err;
	if (!attach_target_read(&a->target, p->at + p->head.state, &state, sizeof(state)))
		return op_fail(error, -ESRCH, "process %d has ended meanwhile", (int)a->target.pid);
	if (!state.is_on || !attach_find_open(a, ".pct"))
		return op_fail(error, -EACCES,
			       "the collector mapped into the process could not begin in %s: %s",
			       a->dir ? a->dir : "its file", strerror(-state.error));
	if (state.missed)
		fprintf(stderr, "opattach: %u %s not sampled: the kernel has no more timers\n",
			state.missed, op_plural(state.missed, "thread is", "threads are"));
	return 0;
}

/* Make the collector resume counting in the file that it has open. Return 0, or a negative errno
 * with text. */
static int go_on(struct attach *a, const struct attach_code *p, bool is_on,
		 struct op_reason *error)
{
	if (a->options->has_events)
		return op_fail(error, -EEXIST,
			       "the collector mapped into the process keeps the period that it was "
			       "started with");
	if (!attach_find_open(a, ".pct"))
		return op_fail(error, -ENOENT,
			       "the process has closed the file of the collector mapped into it");
	if (a->options->dir && !attach_is_in(a->path, a->options->dir))
		return op_fail(error, -EEXIST,
			       "the collector mapped into the process continues to write %s and "
			       "cannot write another file",
			       a->path);
	return is_on ? 0 : count(a, p, error);
}

static int begin(struct attach *a, struct op_reason *error)
{
	struct raw_mapped_state state;
	struct attach_code code;
	bool is_there;
	int err = check(a, error);

	if (err)
		return err;
	is_there = attach_code_find(a, &code);
	if (is_there && read_state(a, &code, &state))
		return go_on(a, &code, state.is_on, error);
	if (!is_there && uses_signal(&a->target))
		return op_fail(error, -ENOTSUP, "the program uses SIGURG itself");
	err = attach_make_dir(a, error);
	if (!err && !is_there)
		err = attach_code_map(a, FILE_NAME, &code, error);
	return err ? err : count(a, &code, error);
}

static int stop(struct attach *a, struct op_reason *error)
{
	struct raw_mapped_state state;
	struct attach_code code;
	struct attach_call call;
	int err;

	if (!attach_code_find(a, &code) || !read_state(a, &code, &state) || !state.is_on)
		return op_fail(error, -ENOENT, "the process has no mapped collector");
	call = (struct attach_call){ .function = code.at + code.head.off };
	err = attach_may_call(a, error);
	return err ? err : attach_call_safe(a, &call, CALLING, error);
}

const struct attach_method attach_mapped = { .name = "mapped", .begin = begin, .stop = stop };
