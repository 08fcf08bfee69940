// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- opattach's command line.
 */
#include "config.h"
#include "utils/opattach/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/raw/num.h"
#include "utils/opprobe/options.h"

#define MAX_SECONDS	1000000

enum { OPT_EVENT = 1, OPT_TIME, OPT_PC, OPT_STACK, OPT_OUTPUT, OPT_EXPLAIN, OPT_STOP };

static int parse_event(struct attach_options *o, const char *text, struct op_reason *error)
{
	struct raw_probe_event event;
	int err = probe_options_event(&event, text, error);

	if (err)
		return err;
	if (event.kind->by == RAW_PROBE_BY_PROGRAM || event.kind->by == RAW_PROBE_BY_VPERF)
		return op_fail(error, -EINVAL,
			       "option \"--event\": opattach cannot count %s: start the program "
			       "with opprobe(1)",
			       event.name);
	if (raw_probe_words_add(&o->probe, &event))
		return op_fail(
			error, -EINVAL,
			"option \"--event\": %s is given twice, or there are too many events",
			event.name);
	o->has_events = true;
	return 0;
}

static int parse_time(struct attach_options *o, const char *text, struct op_reason *error)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!*text || *end || !(seconds >= 0.001 && seconds <= MAX_SECONDS))
		return op_fail(error, -EINVAL, "option \"--time\": give 0.001 to %d seconds",
			       MAX_SECONDS);
	o->ms = seconds * 1000;
	return 0;
}

static int parse_option(void *arg, int id, char *value, struct op_reason *error)
{
	struct attach_options *o = arg;
	int err = 0;

	switch (id) {
	case OPT_EVENT:
		err = parse_event(o, value, error);
		break;
	case OPT_TIME:
		err = parse_time(o, value, error);
		break;
	case OPT_PC:
		o->pc = true;
		break;
	case OPT_STACK:
		o->stack = true;
		break;
	case OPT_EXPLAIN:
		o->explains = true;
		break;
	case OPT_STOP:
		o->stops = true;
		break;
	case OPT_OUTPUT:
		free(o->dir);
		o->dir = value;
		return value && *value ?
			       0 :
			       op_fail(error, -EINVAL,
				       "option \"--output\" needs the name of a directory");
	}
	free(value);
	return err;
}

static const struct poptOption table[] = {
	{ "event", 'e', POPT_ARG_STRING, NULL, OPT_EVENT, "sample by EVENT (default TIMER:1000000); may be repeated where the probe is "
	  "in the process", "EVENT[:PERIOD]" },
	{ "time", 't', POPT_ARG_STRING, NULL, OPT_TIME, "stop after this time (default: when the process ends, or with --stop)", "SECONDS" },
	{ "pc", 0, POPT_ARG_NONE, NULL, OPT_PC, "count addresses without callers", NULL },
	{ "stack", 0, POPT_ARG_NONE, NULL, OPT_STACK, "count call paths only", NULL },
	{ "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT, "write the files to this directory (default opprobe_data)", "DIR" },
	{ "explain", 0, POPT_ARG_NONE, NULL, OPT_EXPLAIN, "print why each other method was skipped", NULL },
	{ "stop", 0, POPT_ARG_NONE, NULL, OPT_STOP, "stop counting in the process", NULL },
	CTL_LAST_OPTIONS
};

/* popt stops parsing options at the first other argument. If this argument is the process id, move
 * it behind the options. */
static void move_pid(int argc, char **argv)
{
	char *pid = argc > 1 ? argv[1] : NULL;

	if (!pid || !*pid || pid[strspn(pid, "0123456789")])
		return;
	memmove(argv + 1, argv + 2, (argc - 2) * sizeof(*argv));
	argv[argc - 1] = pid;
}

static int parse_pid(struct attach_options *o, char **command, struct op_reason *error)
{
	uint64_t n;

	if (!command || command[1])
		return op_fail(error, -EINVAL, "no process is named: run opattach PID; see "
					       "opattach --help");
	if (raw_str2num(&n, command[0], strlen(command[0]), 10) != strlen(command[0]) || !n ||
	    n > INT_MAX)
		return op_fail(error, -EINVAL, "\"%s\" is not the number of a process",
			       command[0]);
	o->pid = n;
	return 0;
}

enum ctl_parse attach_options_parse(struct attach_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error)
{
	static const char *const whole[] = { NULL };
	const struct ctl_command_line line = {
		.program = "opattach",
		.table = table,
		.whole = whole,
		.usage = "PID [OPTION]...",
		.parse = parse_option,
		.arg = o,
	};
	struct raw_probe_event timer;
	enum ctl_parse ret;
	char **command;

	move_pid(argc, argv);
	ret = ctl_command_line_parse(&line, argc, argv, (const char **)argv, &command, out, error);
	if (ret != CTL_RUN)
		return ret;
	if (parse_pid(o, command, error))
		return CTL_WRONG;
	if ((o->pc && o->stack) ||
	    (o->stops && (o->pc || o->stack || o->ms || o->dir || o->has_events))) {
		op_fail(error, -EINVAL, "%s; see opattach --help",
			o->stops ? "--stop can be combined only with --explain" :
				   "--pc and --stack exclude each other");
		return CTL_WRONG;
	}
	if (!o->has_events && !raw_probe_rate(&timer, 1000))
		raw_probe_words_add(&o->probe, &timer);
	return CTL_RUN;
}

void attach_options_release(struct attach_options *o)
{
	free(o->dir);
}
