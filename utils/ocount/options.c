// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- ocount's command line, parsed by popt.
 */
#include "config.h"
#include "utils/ocount/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/event/spec.h"
#include "utils/shared/command_line.h"
#include "utils/shared/virtual_counters.h"

#define MAX_INTERVAL_MS	(24 * 3600 * 1000ul)
#define MAX_INTERVALS	1000000000ul
#define MAX_RUNS	1000000ul

enum {
	OPT_EVENTS = 1,
	OPT_FILTER,
	OPT_PROCESSES,
	OPT_THREADS,
	OPT_CPUS,
	OPT_SYSTEM,
	OPT_INTERVAL,
	OPT_REPEAT,
	OPT_FORMAT,
	OPT_SOURCE,
};

/* Variables that popt sets as int; popt has no bool. */
struct raw {
	struct count_options *o;
	int separate_thread, separate_cpu, brief, verbose;
	/* number of options that select the processes, threads or CPUs to count */
	int nr_whats;
};

#define FLAG(name, letter, field, text) \
	{ name, letter, POPT_ARG_NONE, &raw->field, 0, text, NULL }
#define NOTED(name, letter, id, text, arg) \
	{ name, letter, POPT_ARG_STRING, NULL, id, text, arg }

/* Append the events of one option -e. The option may be repeated, and its value is a list of
 * events. */
static int parse_events(struct count_options *o, char *list)
{
	for (size_t len; ; list += len + 1) {
		char *copy;

		len = op_event_list_length(list);
		copy = strndup(list, len);
		if (!copy || op_grow(&o->events, o->nr_events)) {
			free(copy);
			return -ENOMEM;
		}
		o->events[o->nr_events++] = copy;
		if (!list[len])
			return 0;
	}
}

static int parse_filter(struct count_options *o, const char *value, struct op_reason *error)
{
	char **last = o->nr_events ? &o->events[o->nr_events - 1] : NULL, *event;
	struct op_reason cause = { "" };
	int err = op_event_list_filter(&event, last ? *last : "", value, &cause);

	if (err)
		return op_fail(error, err, "option \"--filter\": %s", op_reason_text(&cause, err));
	free(*last);
	*last = event;
	return 0;
}

/* Parse the value of --time-interval: MS, or MS:N for N intervals. */
static int parse_interval(struct count_options *o, const char *value, struct op_reason *error)
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
		return op_fail(error, -EINVAL, "option \"--time-interval\": \"%s\" is not MS or "
					       "MS:N, milliseconds (at most a day) and how often", value);
	return 0;
}

static int parse_repeat(struct count_options *o, const char *value, struct op_reason *error)
{
	char *end = (char *)value;

	errno = 0;
	o->nr_runs = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
	if (end == value || *end || errno || !o->nr_runs || o->nr_runs > MAX_RUNS)
		return op_fail(error, -EINVAL, "option \"--repeat\": \"%s\" is not a number of runs "
					       "from 1 to %lu", value, MAX_RUNS);
	return 0;
}

static int parse_format(struct count_options *o, const char *value, struct op_reason *error)
{
	static const char *const words[] = { [COUNT_TEXT] = "text", [COUNT_BRIEF] = "brief", [COUNT_JSON] = "json" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(value, words[i])) {
			o->format = (enum count_format)i;
			return 0;
		}
	}
	return op_fail(error, -EINVAL, "option \"--format\": \"%s\" is neither text nor brief nor "
				       "json", value);
}

static int parse_option(void *arg, int id, char *value, struct op_reason *error)
{
	struct raw *raw = arg;
	struct count_options *o = raw->o;
	int err = 0;

	switch (id) {
	case OPT_EVENTS:
		err = parse_events(o, value);
		break;
	case OPT_FILTER:
		err = parse_filter(o, value, error);
		break;
	case OPT_PROCESSES:
		raw->nr_whats += o->what != COUNT_PROCESSES;
		o->what = COUNT_PROCESSES;
		err = ctl_parse_numbers(&o->ids, &o->nr_ids, value, "process-list", "process", error);
		break;
	case OPT_THREADS:
		raw->nr_whats += o->what != COUNT_THREADS;
		o->what = COUNT_THREADS;
		err = ctl_parse_numbers(&o->ids, &o->nr_ids, value, "thread-list", "thread", error);
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
		err = parse_interval(o, value, error);
		break;
	case OPT_REPEAT:
		err = parse_repeat(o, value, error);
		break;
	case OPT_FORMAT:
		err = parse_format(o, value, error);
		break;
	case OPT_SOURCE:
		err = virtual_counters_source(&o->source, value, error);
		break;
	}
	free(value);
	return err;
}

/*
 * Treat "-r N COMMAND" as --repeat=N, as in perf stat. In ocount, -r is a list of threads. Threads
 * cannot be combined with a command, so the syntax is unambiguous.
 */
static void parse_perf_repeat(struct count_options *o, struct raw *raw, char *const *argv)
{
	bool has_long = false;

	for (; *argv && argv != o->command; argv++)
		has_long |= !strncmp(*argv, "--th", strlen("--th"));
	if (!o->command || has_long || o->nr_runs || o->what != COUNT_THREADS ||
	    raw->nr_whats != 1 || o->nr_ids != 1 || (unsigned long)o->ids[0] > MAX_RUNS)
		return;
	o->nr_runs = (unsigned long)o->ids[0];
	o->nr_ids = 0;
	o->what = COUNT_COMMAND;
	raw->nr_whats = 0;
}

static int check(struct count_options *o, const struct raw *raw, struct op_reason *error)
{
	bool tasks = o->what == COUNT_PROCESSES || o->what == COUNT_THREADS;
	bool cpus = o->what == COUNT_CPUS || o->what == COUNT_SYSTEM;
	int nr = raw->nr_whats + !!o->command;

	if (!nr)
		return op_fail(error, -EINVAL, "nothing to count: give a command with its "
					       "arguments, --process-list, --thread-list, "
					       "--cpu-list or --system-wide; see ocount --help");
	if (nr > 1)
		return op_fail(error, -EINVAL, "a command, --process-list, --thread-list, "
					       "--cpu-list and --system-wide exclude each other: "
					       "give one of them%s",
			       o->command ? " (all words after the options are the command)" : "");
	if (raw->separate_thread && !tasks)
		return op_fail(error, -EINVAL, "option \"--separate-thread\" needs --process-list "
					       "or --thread-list");
	if (raw->separate_cpu && !cpus)
		return op_fail(error, -EINVAL, "option \"--separate-cpu\" needs --cpu-list or "
					       "--system-wide");
	if (raw->brief && o->format == COUNT_JSON)
		return op_fail(error, -EINVAL, "--brief-format and --format=json exclude each other");
	if (o->nr_runs && (o->what != COUNT_COMMAND || o->interval_ms))
		return op_fail(error, -EINVAL, "option \"--repeat\" needs a command and cannot be "
					       "combined with --time-interval");
	if (o->source == VPERF_MODULE && (o->what != COUNT_COMMAND || o->interval_ms))
		return op_fail(error, -EINVAL, "vperfctr.ko counts only whole commands: "
					       "--source=module cannot be combined with "
					       "--time-interval or with running processes");
	if (!o->nr_runs)
		o->nr_runs = 1;
	o->separate = raw->separate_thread || raw->separate_cpu;
	o->verbose = raw->verbose;
	if (raw->brief)
		o->format = COUNT_BRIEF;
	return 0;
}

enum ctl_parse count_options_parse(struct count_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error)
{
	static const char *const whole[] = { NULL };
	struct raw values = { .o = o }, *raw = &values;
	const struct poptOption table[] = {
		NOTED("process-list", 'p', OPT_PROCESSES, "count in these processes, until Ctrl-C or their end",
		      "PID,..."),
		NOTED("thread-list", 'r', OPT_THREADS, "count only in these threads; with a command: "
		      "the same as --repeat", "TID,..."),
		NOTED("cpu-list", 'C', OPT_CPUS, "count on these CPUs, until Ctrl-C", "2,4-7"),
		{ "system-wide", 's', POPT_ARG_NONE, NULL, OPT_SYSTEM, "count everything, until Ctrl-C", NULL },
		NOTED("events", 'e', OPT_EVENTS, "count these events: ophelp lists the CPU's; page-faults and all "
		      "of perf's names are also accepted", "EVENT,..."),
		NOTED("filter", 0, OPT_FILTER, "count the preceding tracepoint only where its fields match", "FILTER"),
		FLAG("separate-thread", 't', separate_thread, "print a row for each thread (-p, -r)"),
		FLAG("separate-cpu", 'c', separate_cpu, "print a row for each CPU (-C, -s)"),
		FLAG("brief-format", 'b', brief, "print one line for each count, for programs"),
		NOTED("time-interval", 'i', OPT_INTERVAL, "print the counts of every MS milliseconds, N times",
		      "MS[:N]"),
		NOTED("repeat", 0, OPT_REPEAT, "run the command N times, and print the mean and the deviation", "N"),
		{ "output-file", 'f', POPT_ARG_STRING, &o->output, 0, "print to this file instead of stdout", "FILE" },
		NOTED("format", 0, OPT_FORMAT, "print text, brief, or json", "FORMAT"),
		NOTED("source", 0, OPT_SOURCE, "count a command by auto, module or perf", "SOURCE"),
		FLAG("verbose", 'V', verbose, "print the events that are requested from the kernel"),
		CTL_LAST_OPTIONS
	};
	const struct ctl_command_line line = {
		.program = "ocount", .table = table, .whole = whole, .parse = parse_option, .arg = raw,
		.usage = "[OPTION...] COMMAND [ARG...] | --process-list=PID | --system-wide",
	};
	enum ctl_parse ret = ctl_command_line_parse(&line, argc, argv, (const char **)argv,
						    &o->command, out, error);

	parse_perf_repeat(o, raw, argv);
	return ret == CTL_RUN && check(o, raw, error) ? CTL_WRONG : ret;
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
