// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c -- opperfex's command line, parsed by popt. */
#include "config.h"
#include "utils/opperfex/options.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "utils/shared/virtual_counters.h"

enum { OPT_EVENT = 1, OPT_INFO, OPT_LIST, OPT_LIST_LONG, OPT_COSTS, OPT_WHO, OPT_SOURCE };

struct raw {
	struct perfex_options *o;
	/* number of given options that print facts instead of running a command */
	int nr_whats;
};

static int parse_event(struct perfex_options *o, char *event)
{
	if (op_grow(&o->events, o->nr_events)) {
		free(event);
		return -ENOMEM;
	}
	o->events[o->nr_events++] = event;
	return 0;
}

static int parse_option(void *arg, int id, char *value, struct op_reason *error)
{
	static const enum perfex_what whats[] = {
		[OPT_INFO] = PERFEX_INFO, [OPT_LIST] = PERFEX_LIST, [OPT_LIST_LONG] = PERFEX_LIST_LONG,
		[OPT_COSTS] = PERFEX_COSTS, [OPT_WHO] = PERFEX_WHO,
	};
	struct raw *raw = arg;
	int err = 0;

	if (id == OPT_EVENT)
		return parse_event(raw->o, value);
	if (id == OPT_SOURCE) {
		err = virtual_counters_source(&raw->o->source, value, error);
	} else {
		raw->nr_whats += raw->o->what != whats[id];
		raw->o->what = whats[id];
	}
	free(value);
	return err;
}

static int check(const struct perfex_options *o, const struct raw *raw, struct op_reason *error)
{
	int nr = raw->nr_whats + !!o->command;

	if (!nr)
		return op_fail(error, -EINVAL,
			       "nothing to count: give a command with its arguments; see opperfex "
			       "--help");
	if (nr > 1)
		return op_fail(
			error, -EINVAL,
			"a command, --info, --list, --list-long, --costs and --who exclude each "
			"other: give one of them%s",
			o->command ? " (everything after the options is the command)" : "");
	if (o->what != PERFEX_COMMAND && o->what != PERFEX_COSTS && o->nr_events)
		return op_fail(error, -EINVAL, "option \"--event\" needs a command to count, or "
					       "--costs");
	if (o->what != PERFEX_COMMAND && (o->output || o->children))
		return op_fail(error, -EINVAL, "options \"--output\" and \"--children\" need a "
					       "command");
	if (o->nr_events > VPERF_MAX)
		return op_fail(error, -EINVAL, "cannot count more than %d events at once", VPERF_MAX);
	return 0;
}

enum ctl_parse perfex_options_parse(struct perfex_options *o, int argc, char **argv, FILE *out,
				    struct op_reason *error)
{
	static const char *const whole[] = { NULL };
	struct raw raw = { .o = o };
	int children = 0;
	const struct poptOption table[] = {
		{ "event", 'e', POPT_ARG_STRING, NULL, OPT_EVENT, "count this event, too: a name, rCODE, or an event-select "
		  "register's contents in hex, 0xEVNTSEL[@N]", "EVENT" },
		{ "output", 'o', POPT_ARG_STRING, &o->output, 0, "print to this file, not on stderr", "FILE" },
		{ "children", 0, POPT_ARG_NONE, &children, 0, "print the counts of the command's children, too", NULL },
		{ "source", 0, POPT_ARG_STRING, NULL, OPT_SOURCE, "count with: auto, module, perf", "SOURCE" },
		{ "info", 'i', POPT_ARG_NONE, NULL, OPT_INFO, "print the abilities of this machine's counters", NULL },
		{ "list", 'l', POPT_ARG_NONE, NULL, OPT_LIST, "list the events", NULL },
		{ "list-long", 'L', POPT_ARG_NONE, NULL, OPT_LIST_LONG, "list the events with their unit masks", NULL },
		{ "costs", 0, POPT_ARG_NONE, NULL, OPT_COSTS, "measure what reading a counter costs here", NULL },
		{ "who", 0, POPT_ARG_NONE, NULL, OPT_WHO, "list threads that have counters of the module", NULL },
		CTL_LAST_OPTIONS
	};
	const struct ctl_command_line line = {
		.program = "opperfex",
		.table = table,
		.whole = whole,
		.parse = parse_option,
		.arg = &raw,
		.usage = "[OPTION...] COMMAND [ARG...]",
	};
	enum ctl_parse ret = ctl_command_line_parse(&line, argc, argv, (const char **)argv,
						    &o->command, out, error);

	o->children = children;
	return ret == CTL_RUN && check(o, &raw, error) ? CTL_WRONG : ret;
}

void perfex_options_release(struct perfex_options *o)
{
	for (size_t i = 0; i < o->nr_events; i++)
		free(o->events[i]);
	free(o->events);
	free(o->output);
}
