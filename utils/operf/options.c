// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- operf's command line, parsed by popt.
 */
#include "config.h"
#include "utils/operf/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/option_words.h"
#include "libop/event/spec.h"
#include "libop/session/paths.h"
#include "libop/settings.h"
#include "utils/operf/session.h"
#include "utils/shared/command_line.h"

#define MAX_DURATION_S 1e9

enum {
	OPT_EVENTS = 1,
	OPT_FILTER,
	OPT_FREQUENCY,
	OPT_WALL,
	OPT_PID,
	OPT_DURATION,
	OPT_REPEAT,
	OPT_VERBOSE,
	OPT_WAKERS,
};

/* Values of options. They are ints, because popt has no bool. */
struct raw {
	int system_wide, append, separate_thread, separate_cpu, callgraph, lazy;
	char *session_dir, *vmlinux, *callgraph_by, *callgraph_stack, *cache_size, *priority;
};

#define FLAG(name, letter, field, text) \
	{ name, letter, POPT_ARG_NONE, &raw->field, 0, text, NULL }
#define TEXT(name, field, text, arg) \
	{ name, 0, POPT_ARG_STRING, &raw->field, 0, text, arg }
#define NOTED(name, letter, id, text, arg) \
	{ name, letter, POPT_ARG_STRING, NULL, id, text, arg }

static int parse_text(char **to, char *value)
{
	free(*to);
	*to = value;
	return 0;
}

/* Append the events of one option -e. The option may be repeated, and its value is a list of
 * events. */
static int parse_events(struct operf_options *o, const char *value)
{
	char *joined;

	if (asprintf(&joined, "%s%s%s", o->events ? o->events : "", o->events ? "," : "", value) < 0)
		return -ENOMEM;
	return parse_text(&o->events, joined);
}

static int parse_filter(struct operf_options *o, const char *value, struct op_reason *error)
{
	struct op_reason cause = { "" };
	char *events;
	int err = op_event_list_filter(&events, o->events ? o->events : "", value, &cause);

	if (err)
		return op_fail(error, err, "option \"--filter\": %s", op_reason_text(&cause, err));
	return parse_text(&o->events, events);
}

static int parse_frequency(struct operf_options *o, const char *value, struct op_reason *error)
{
	char *event;
	int err = ctl_event_of_frequency(&event, value, error);

	if (err)
		return err;
	err = parse_events(o, event);
	free(event);
	return err;
}

static int parse_wall(struct operf_options *o, const char *value, struct op_reason *error)
{
	bool latency;
	int err = ctl_wall_parse(&latency, value, error);

	if (!err)
		err = parse_events(o, CTL_WALL_COMPUTES "," CTL_WALL_WAITS);
	if (!err && latency)
		err = parse_events(o, CTL_WALL_LATENCY);
	return err;
}

static int parse_duration(struct operf_options *o, const char *value, struct op_reason *error)
{
	char *end;

	o->duration = strtod(value, &end);
	if (end == value || *end || !isfinite(o->duration) || o->duration <= 0 ||
	    o->duration > MAX_DURATION_S)
		return op_fail(error, -EINVAL, "option \"--duration\": \"%s\" is not a number of "
					       "seconds",
			       value);
	return 0;
}

static int parse_repeat(struct operf_options *o, const char *value, struct op_reason *error)
{
	char *end;
	unsigned long n = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;

	if (n < 2 || n > OPERF_MAX_RUNS || *end)
		return op_fail(error, -EINVAL, "option \"--repeat\": \"%s\" is not a number of runs "
					       "from 2 to %d", value, OPERF_MAX_RUNS);
	o->repeat = (unsigned int)n;
	return 0;
}

static int parse_option(void *arg, int id, char *value, struct op_reason *error)
{
	struct operf_options *o = arg;
	int err = 0;

	switch (id) {
	case OPT_EVENTS:
		err = parse_events(o, value);
		break;
	case OPT_FILTER:
		err = parse_filter(o, value, error);
		break;
	case OPT_FREQUENCY:
		err = parse_frequency(o, value, error);
		break;
	case OPT_WALL:
		err = parse_wall(o, value, error);
		break;
	case OPT_PID:
		err = ctl_parse_numbers(&o->pids, &o->nr_pids, value, "pid", "process", error);
		break;
	case OPT_DURATION:
		err = parse_duration(o, value, error);
		break;
	case OPT_REPEAT:
		err = parse_repeat(o, value, error);
		break;
	case OPT_VERBOSE:
		return parse_text(&o->verbose, value ? value : strdup("all"));
	case OPT_WAKERS:
		err = op_fail(error, -EINVAL,
			      "option \"--wakers\" needs the kernel module, which operf does not use: "
			      "opcontrol --start --event=OFFCPU --wakers=on");
		break;
	}
	free(value);
	return err;
}

static int check(const struct operf_options *o, struct op_reason *error)
{
	int nr = !!o->command + !!o->nr_pids + o->system_wide;

	if (nr == 0)
		return op_fail(error, -EINVAL, "nothing to profile: give a command with its "
					       "arguments, --pid=PID, or --system-wide; see operf "
					       "--help");
	if (nr > 1)
		return op_fail(error, -EINVAL, "a command, --pid and --system-wide exclude each "
					       "other: give one of them%s",
			       o->command ? " (everything after the options is the command)" : "");
	if (o->repeat && (!o->command || o->append))
		return op_fail(error, -EINVAL, "option \"--repeat\" needs a command and cannot be "
					       "combined with --append");
	if (o->session_dir && !*o->session_dir)
		return op_fail(error, -EINVAL, "option \"--session-dir\" needs the name of a "
					       "directory");
	if (o->callgraph_by &&
	    op_setting_word(op_setting_by_name("callgraph-by", OP_FOR_DAEMON)->words, o->callgraph_by) < 0)
		return op_fail(error, -EINVAL, "option \"--callgraph-by\": \"%s\" is neither "
					       "address nor function",
			       o->callgraph_by);
	return 0;
}

/* Return whether @list contains only words that --verbose of OProfile 1.x accepts. Without this
 * check, popt would accept the next word, which may be the command, as the argument of
 * --verbose. */
static bool are_subjects(const char *list)
{
	static const char known[] = ",debug,record,convert,misc,sfile,arcs,all,";

	for (;;) {
		size_t len = strcspn(list, ",");
		char word[16];

		if (snprintf(word, sizeof(word), ",%.*s,", (int)len, list) >= (int)sizeof(word) || !len ||
		    !strstr(known, word))
			return false;
		if (!list[len])
			return true;
		list += len + 1;
	}
}

/* Return a malloc'd copy of @argv in which --wall and --verbose do not take the next word as their
 * argument, except for a valid argument of --verbose. */
static const char **plain_options(int argc, char **argv)
{
	const char **words = calloc((size_t)argc + 1, sizeof(*words));

	for (int i = 0; words && i < argc; i++) {
		bool alone = (!strcmp(argv[i], "-V") || !strcmp(argv[i], "--verbose")) &&
			     !(i + 1 < argc && are_subjects(argv[i + 1]));

		words[i] = alone ? "--verbose=all" : !strcmp(argv[i], "--wall") ? "--wall=" : argv[i];
	}
	return words;
}

/* Without --session-dir, use the session directory that $OPROFILE_SESSION_DIR names. */
static int set_session_dir(struct operf_options *o, struct op_reason *error)
{
	const char *dir = getenv(OP_SESSION_DIR_ENV);

	if (o->session_dir || !dir || !*dir)
		return 0;
	o->session_dir = strdup(dir);
	return o->session_dir ? 0 : op_fail(error, -ENOMEM, "out of memory");
}

enum ctl_parse operf_options_parse(struct operf_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error)
{
	/* plain_options() finds only the full names of the options, so forbid abbreviations. */
	static const char *const whole[] = { "verbose", "wall", NULL };
	struct raw values = { 0 }, *raw = &values;
	const struct poptOption table[] = {
		NOTED("pid", 'p', OPT_PID, "profile these processes until Ctrl-C or their end", "PID,..."),
		FLAG("system-wide", 's', system_wide, "profile everything, until Ctrl-C (needs root)"),
		NOTED("duration", 0, OPT_DURATION, "end the profile and the command after this number of seconds", "SECONDS"),
		NOTED("repeat", 0, OPT_REPEAT, "run the command N times, so that opreport knows how much runs vary", "N"),
		NOTED("events", 'e', OPT_EVENTS, "sample by these events; ophelp lists them", "EVENT,..."),
		NOTED("filter", 0, OPT_FILTER,
		      "sample the preceding tracepoint only where its fields match", "FILTER"),
		NOTED("frequency", 0, OPT_FREQUENCY,
		      "sample by time: samples per second of CPU time (10 to 20000)", "HZ"),
		{ "wall", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_WALL, "sample where threads compute (TIMER), where they wait (OFFCPU), and clock time (LATENCY)", "latency" },
		{ "session-dir", 'd', POPT_ARG_STRING, &raw->session_dir, 0,
		  "write the profile to this directory, not to ./oprofile_data", "DIR" },
		FLAG("append", 'a', append, "add to the existing profile"),
		FLAG("separate-thread", 't', separate_thread, "store the samples of each thread separately"),
		FLAG("separate-cpu", 'c', separate_cpu, "store the samples of each CPU separately"),
		{ "vmlinux", 'k', POPT_ARG_STRING, &raw->vmlinux, 0,
		  "read the kernel's source lines from its image FILE", "FILE" },
		FLAG("callgraph", 'g', callgraph, "take call paths, too, for opreport --callgraph"),
		TEXT("callgraph-by", callgraph_by, "take call paths with frames by: address, function", "WHAT"),
		{ "callgraph-stack", 0, POPT_ARG_STRING, &raw->callgraph_stack, 0,
		  "take call paths from copies of the stack of this size (at most 63K)", "SIZE" },
		TEXT("cache-size", cache_size, "limit the cache of symbol and unwind tables", "SIZE"),
		TEXT("priority", priority, "set the priority of the profiler: high, normal (default high, where allowed)", "PRIORITY"),
		FLAG("lazy-conversion", 'l', lazy, "do nothing (accepted for compatibility)"),
		{ "verbose", 'V', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_VERBOSE,
		  "write a more detailed log", "WORD,..." },
		{ "wakers", 0, POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, OPT_WAKERS, NULL, NULL },
		CTL_LAST_OPTIONS
	};
	const char **words = plain_options(argc, argv);
	const struct ctl_command_line line = {
		.program = "operf", .table = table, .whole = whole, .parse = parse_option, .arg = o,
		.usage = "[OPTION...] COMMAND [ARG...] | --pid=PID | --system-wide",
	};
	enum ctl_parse ret =
		ctl_command_line_parse(&line, argc, argv, words, &o->command, out, error);

	free(words);
	o->system_wide = raw->system_wide;
	o->append = raw->append;
	o->separate_thread = raw->separate_thread;
	o->separate_cpu = raw->separate_cpu;
	o->callgraph = raw->callgraph || raw->callgraph_by || raw->callgraph_stack;
	o->callgraph_by = raw->callgraph_by;
	o->callgraph_stack = raw->callgraph_stack;
	o->cache_size = raw->cache_size;
	o->priority = raw->priority;
	o->session_dir = raw->session_dir;
	o->vmlinux = raw->vmlinux;
	if (set_session_dir(o, error))
		return CTL_WRONG;
	return ret == CTL_RUN && check(o, error) ? CTL_WRONG : ret;
}

void operf_options_release(struct operf_options *o)
{
	free(o->pids);
	free(o->events);
	free(o->session_dir);
	free(o->vmlinux);
	free(o->callgraph_by);
	free(o->callgraph_stack);
	free(o->cache_size);
	free(o->priority);
	free(o->verbose);
}
