// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count_options.c -- ocount's command line, read by popt and checked.
 */
#include "config.h"
#include "utils/count_options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/option_words.h"
#include "utils/number_list.h"

#define MAX_INTERVAL_MS	(24 * 3600 * 1000ul)
#define MAX_INTERVALS	1000000000ul

enum {
	OPT_EVENTS = 1,
	OPT_PROCESSES,
	OPT_THREADS,
	OPT_CPUS,
	OPT_SYSTEM,
	OPT_INTERVAL,
	OPT_FORMAT,
	OPT_VERSION,
	OPT_HELP,
	OPT_USAGE,
};

/* What popt writes to; ints because popt has no bool. */
struct raw {
	int separate_thread, separate_cpu, brief, verbose;
	int nr_whats;		/* how often somebody said what is counted */
};

#define FLAG(name, letter, field, text) \
	{ name, letter, POPT_ARG_NONE, &raw->field, 0, text, NULL }
#define NOTED(name, letter, id, text, arg) \
	{ name, letter, POPT_ARG_STRING, NULL, id, text, arg }

/* -e may come several times, and each may be a list. */
static int take_events(struct count_options *o, char *list)
{
	char *part;

	while ((part = strsep(&list, ","))) {
		char *copy = strdup(part);

		if (!copy || op_grow(&o->events, o->nr_events)) {
			free(copy);
			return -ENOMEM;
		}
		o->events[o->nr_events++] = copy;
	}
	return 0;
}

/* MS or MS:N. */
static int take_interval(struct count_options *o, const char *value, struct op_reason *error)
{
	char *end = (char *)value;

	o->nr_intervals = 0;
	errno = 0;
	o->interval_ms = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
	if (end != value && *end == ':' && end[1] >= '0' && end[1] <= '9') {
		o->nr_intervals = strtoul(end + 1, &end, 10);
		if (!o->nr_intervals || o->nr_intervals > MAX_INTERVALS)
			end = (char *)value;
	}
	if (end == value || *end || errno || !o->interval_ms || o->interval_ms > MAX_INTERVAL_MS)
		return op_fail(error, -EINVAL, "Option \"--time-interval\": \"%s\" is not MS or MS:N, milliseconds "
			       "(at most a day) and how often.", value);
	return 0;
}

static int take_format(struct count_options *o, const char *value, struct op_reason *error)
{
	static const char *const words[] = { [COUNT_TEXT] = "text", [COUNT_BRIEF] = "brief", [COUNT_JSON] = "json" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(value, words[i])) {
			o->format = (enum count_format)i;
			return 0;
		}
	}
	return op_fail(error, -EINVAL, "Option \"--format\": \"%s\" is neither text nor brief nor json.", value);
}

static int take(struct count_options *o, struct raw *raw, int id, char *value, struct op_reason *error)
{
	int err = 0;

	switch (id) {
	case OPT_EVENTS:
		err = take_events(o, value);
		break;
	case OPT_PROCESSES:
		raw->nr_whats += o->what != COUNT_PROCESSES;
		o->what = COUNT_PROCESSES;
		err = ctl_take_numbers(&o->ids, &o->nr_ids, value, "process-list", "process", error);
		break;
	case OPT_THREADS:
		raw->nr_whats += o->what != COUNT_THREADS;
		o->what = COUNT_THREADS;
		err = ctl_take_numbers(&o->ids, &o->nr_ids, value, "thread-list", "thread", error);
		break;
	case OPT_CPUS:
		raw->nr_whats++;
		o->what = COUNT_CPUS;
		free(o->cpus);
		o->cpus = value;
		return 0;
	case OPT_SYSTEM:
		raw->nr_whats += o->what != COUNT_SYSTEM;
		o->what = COUNT_SYSTEM;
		break;
	case OPT_INTERVAL:
		err = take_interval(o, value, error);
		break;
	case OPT_FORMAT:
		err = take_format(o, value, error);
		break;
	}
	free(value);
	return err;
}

/* With POSIXMEHARDER all that is left stands at the end of argv, as it was. */
static void find_command(struct count_options *o, poptContext con, int argc, char **argv)
{
	const char **rest = poptGetArgs(con);
	int nr = 0;

	while (rest && rest[nr])
		nr++;
	o->command = nr ? argv + argc - nr : NULL;
}

static int check(struct count_options *o, const struct raw *raw, struct op_reason *error)
{
	bool tasks = o->what == COUNT_PROCESSES || o->what == COUNT_THREADS;
	bool cpus = o->what == COUNT_CPUS || o->what == COUNT_SYSTEM;
	int nr = raw->nr_whats + !!o->command;

	if (!nr)
		return op_fail(error, -EINVAL, "What is to be counted? Give a command with its arguments, "
			       "--process-list, --thread-list, --cpu-list or --system-wide; ocount --help tells more.");
	if (nr > 1)
		return op_fail(error, -EINVAL, "A command, --process-list, --thread-list, --cpu-list and --system-wide "
			       "exclude each other: give one of them%s.",
			       o->command ? " (everything behind the options is the command)" : "");
	if (raw->separate_thread && !tasks)
		return op_fail(error, -EINVAL, "--separate-thread goes with --process-list and --thread-list.");
	if (raw->separate_cpu && !cpus)
		return op_fail(error, -EINVAL, "--separate-cpu goes with --cpu-list and --system-wide.");
	if (raw->brief && o->format == COUNT_JSON)
		return op_fail(error, -EINVAL, "--brief-format and --format=json exclude each other.");
	o->separate = raw->separate_thread || raw->separate_cpu;
	o->verbose = raw->verbose;
	if (raw->brief)
		o->format = COUNT_BRIEF;
	return 0;
}

static enum count_parse parse(struct count_options *o, struct raw *raw, poptContext con,
			      const struct poptOption *table, FILE *out, struct op_reason *error)
{
	char meant[200];
	int id;

	while ((id = poptGetNextOpt(con)) > 0) {
		switch (id) {
		case OPT_HELP:
			poptPrintHelp(con, out, 0);
			return COUNT_DONE;
		case OPT_USAGE:
			poptPrintUsage(con, out, 0);
			return COUNT_DONE;
		case OPT_VERSION:
			fputs("ocount: " PACKAGE_STRING "\n", out);
			return COUNT_DONE;
		}
		if (take(o, raw, id, poptGetOptArg(con), error)) {
			if (!*error->text)
				op_fail(error, -ENOMEM, "%s", op_strerror(-ENOMEM));
			return COUNT_WRONG;
		}
	}
	if (id < -1) {
		op_fail(error, -EINVAL, "%s: %s%s; see ocount --help. (Options of the command go behind its name.)",
			poptBadOption(con, 0), poptStrerror(id), id == POPT_ERROR_BADOPT ?
			op_options_meant(table, poptBadOption(con, 0), meant, sizeof(meant)) : "");
		return COUNT_WRONG;
	}
	return COUNT_RUN;
}

enum count_parse count_options_parse(struct count_options *o, int argc, char **argv, FILE *out, struct op_reason *error)
{
	static const char *const whole[] = { NULL };
	struct raw values = { 0 }, *raw = &values;
	const struct poptOption table[] = {
		NOTED("process-list", 'p', OPT_PROCESSES, "count in these processes, until Ctrl-C or their end",
		      "PID,..."),
		NOTED("thread-list", 'r', OPT_THREADS, "count in these threads alone", "TID,..."),
		NOTED("cpu-list", 'C', OPT_CPUS, "count on these CPUs, until Ctrl-C", "2,4-7"),
		{ "system-wide", 's', POPT_ARG_NONE, NULL, OPT_SYSTEM, "count everything, until Ctrl-C", NULL },
		NOTED("events", 'e', OPT_EVENTS, "what to count: ophelp lists the CPU's events; page-faults and all "
		      "of perf's names go too", "EVENT,..."),
		FLAG("separate-thread", 't', separate_thread, "a row for each thread (-p, -r)"),
		FLAG("separate-cpu", 'c', separate_cpu, "a row for each CPU (-C, -s)"),
		FLAG("brief-format", 'b', brief, "one line for each count, for programs"),
		NOTED("time-interval", 'i', OPT_INTERVAL, "print the counts of every MS milliseconds, N times",
		      "MS[:N]"),
		{ "output-file", 'f', POPT_ARG_STRING, &o->output, 0, "print there, not on stdout", "FILE" },
		NOTED("format", 0, OPT_FORMAT, "text, brief, or json", "FORMAT"),
		FLAG("verbose", 'V', verbose, "say what is asked of the kernel"),
		{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "print the version", NULL },
		{ "help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "print this", NULL },
		{ "usage", 'u', POPT_ARG_NONE, NULL, OPT_USAGE, "print a shorter help", NULL },
		POPT_TABLEEND
	};
	poptContext con = poptGetContext("ocount", argc, (const char **)argv, table, POPT_CONTEXT_POSIXMEHARDER);
	enum count_parse ret;

	if (!con || op_options_abbreviate(con, table, whole)) {
		poptFreeContext(con);
		op_fail(error, -ENOMEM, "%s", op_strerror(-ENOMEM));
		return COUNT_WRONG;
	}
	poptSetOtherOptionHelp(con, "[OPTION...] COMMAND [ARG...] | --process-list=PID | --system-wide");
	ret = parse(o, raw, con, table, out, error);
	if (ret == COUNT_RUN) {
		find_command(o, con, argc, argv);
		if (check(o, raw, error))
			ret = COUNT_WRONG;
	}
	poptFreeContext(con);
	return ret;
}

void count_options_release(struct count_options *o)
{
	free(o->ids);
	free(o->cpus);
	for (size_t i = 0; i < o->nr_events; i++)
		free(o->events[i]);
	free(o->events);
	free(o->output);
}
