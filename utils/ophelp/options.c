// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- ophelp's command line, by popt.
 */
#include "config.h"
#include "utils/ophelp/options.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/option_words.h"

/* Values of options, which popt stores. */
struct flags {
	int check, unit_mask, extra_mask, get_cpu, get_default, list_cpus, xml, json, version;
	int ignore_count, callgraph;
	char *cpu_type;
};

/* Store the action that the options request in *@ret. Fail if they request two actions. */
static int one_action(const struct flags *f, enum help_action *ret, struct op_reason *error)
{
	const struct {
		int given;
		enum help_action action;
		const char *name;
	} actions[] = {
		{ f->check, HELP_CHECK_EVENTS, "--check-events" },
		{ f->unit_mask, HELP_UNIT_MASK, "--unit-mask" },
		{ f->extra_mask, HELP_EXTRA_MASK, "--extra-mask" },
		{ f->get_cpu, HELP_GET_CPU_TYPE, "--get-cpu-type" },
		{ f->get_default, HELP_GET_DEFAULT_EVENT, "--get-default-event" },
		{ f->list_cpus, HELP_LIST_CPU_TYPES, "--list-cpu-types" },
		{ f->version, HELP_VERSION, "--version" },
	};
	const char *first = NULL;

	*ret = HELP_LIST;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!actions[i].given)
			continue;
		if (first)
			return op_fail(error, -EINVAL,
				       "%s and %s exclude each other: give one at a "
				       "time",
				       first, actions[i].name);
		first = actions[i].name;
		*ret = actions[i].action;
	}
	if (first && (f->xml || f->json))
		return op_fail(error, -EINVAL, "%s has no %s output", first,
			       f->xml ? "--xml" : "--json");
	return 0;
}

static int check_args(const struct help_options *opt, struct op_reason *error)
{
	static const char usage[] = "see ophelp --help";

	switch (opt->action) {
	case HELP_CHECK_EVENTS:
		if (!opt->nr_args)
			return op_fail(error, -EINVAL, "option \"--check-events\" needs events as "
						       "arguments: NAME:COUNT:UNITMASK:KERNEL:USER");
		break;
	case HELP_UNIT_MASK:
	case HELP_EXTRA_MASK:
		if (opt->nr_args != 1)
			return op_fail(error, -EINVAL, "%s needs an event as its argument; %s",
				       opt->action == HELP_UNIT_MASK ? "--unit-mask" :
				       "--extra-mask", usage);
		break;
	case HELP_LIST:
		break;
	default:
		if (opt->nr_args)
			return op_fail(error, -EINVAL, "unexpected argument \"%s\"; %s",
				       opt->args[0], usage);
	}
	return 0;
}

static int copy_args(struct help_options *opt, const char **args)
{
	size_t n = 0;

	while (args && args[n])
		n++;
	opt->args = calloc(n + 1, sizeof(*opt->args));
	if (!opt->args)
		return -ENOMEM;
	for (; opt->nr_args < n; opt->nr_args++) {
		opt->args[opt->nr_args] = strdup(args[opt->nr_args]);
		if (!opt->args[opt->nr_args])
			return -ENOMEM;
	}
	return 0;
}

enum { SHOW_HELP = 1, SHOW_USAGE };

/* Store the parsed options @f and the arguments in @opt. */
static int store_options(struct help_options *opt, struct flags *f, const char **args,
			 struct op_reason *error)
{
	int err = one_action(f, &opt->action, error);

	if (err)
		return err;
	if (f->xml && f->json)
		return op_fail(error, -EINVAL, "--xml and --json exclude each other");
	if (f->callgraph < 0)
		return op_fail(error, -EINVAL, "--callgraph=%d: a depth is 0 or more",
			       f->callgraph);
	opt->output = f->xml ? HELP_XML : f->json ? HELP_JSON : HELP_TEXT;
	opt->ignore_count = f->ignore_count;
	opt->callgraph = f->callgraph;
	opt->cpu_type = f->cpu_type;
	f->cpu_type = NULL;
	err = copy_args(opt, args);
	return err ? err : check_args(opt, error);
}

static int read_line(struct help_options *opt, struct flags *f, poptContext con,
		     const struct poptOption *table, struct op_reason *error)
{
	char meant[200];
	int rc;

	poptSetOtherOptionHelp(con, "[OPTION...] [EVENT...]");
	rc = poptGetNextOpt(con);
	if (rc < -1) {
		const char *bad = poptBadOption(con, POPT_BADOPTION_NOALIAS);

		return op_fail(error, -EINVAL, "%s: %s%s; see ophelp --help", bad, poptStrerror(rc),
			       rc == POPT_ERROR_BADOPT ?
				       op_options_suggest(table, bad, meant, sizeof(meant)) :
				       "");
	}
	if (rc == -1)
		return store_options(opt, f, poptGetArgs(con), error);
	if (rc == SHOW_HELP)
		poptPrintHelp(con, stdout, 0);
	else
		poptPrintUsage(con, stdout, 0);
	opt->action = HELP_DONE;
	return 0;
}

int help_options_parse(struct help_options *opt, int argc, const char **argv,
		       struct op_reason *error)
{
	struct flags f = { 0 };
	const struct poptOption table[] = {
		{"cpu-type", 'c', POPT_ARG_STRING, &f.cpu_type, 0,
		 "list the events of this CPU type instead of this machine's", "CPU"},
		{"list-cpu-types", 'l', POPT_ARG_NONE, &f.list_cpus, 0, "list all CPU types", NULL},
		{"check-events", 'e', POPT_ARG_NONE, &f.check, 0,
		 "check events (NAME:COUNT:UNITMASK:KERNEL:USER), print a counter for each", NULL},
		{"ignore-count", 'i', POPT_ARG_NONE, &f.ignore_count, 0,
		 "do not check counts against the minimum", NULL},
		{"unit-mask", 'u', POPT_ARG_NONE, &f.unit_mask, 0,
		 "print the event's default unit mask", NULL},
		{"extra-mask", 'E', POPT_ARG_NONE, &f.extra_mask, 0,
		 "print the extra bits of a unit mask (NAME:COUNT:MASKNAME)", NULL},
		{"get-cpu-type", 'r', POPT_ARG_NONE, &f.get_cpu, 0, "print this machine's CPU type",
		 NULL},
		{"get-default-event", 'd', POPT_ARG_NONE, &f.get_default, 0,
		 "print the default event", NULL},
		{"callgraph", '\0', POPT_ARG_INT, &f.callgraph, 0,
		 "print minimum counts for sampling with stacks of this depth", "DEPTH"},
		{"xml", 'X', POPT_ARG_NONE, &f.xml, 0, "print XML", NULL},
		{"json", 'J', POPT_ARG_NONE, &f.json, 0, "print JSON", NULL},
		{"version", 'v', POPT_ARG_NONE, &f.version, 0, "print the version", NULL},
		{"help", '?', POPT_ARG_NONE, NULL, SHOW_HELP, "print this help", NULL},
		{"usage", '\0', POPT_ARG_NONE, NULL, SHOW_USAGE, "print a shorter help", NULL},
		POPT_TABLEEND};
	poptContext con = poptGetContext("ophelp", argc, argv, table, 0);
	int err = -ENOMEM;

	if (con && !op_options_abbreviate(con, table, NULL))
		err = op_options_once(table, argv, false, error);
	if (!err)
		err = read_line(opt, &f, con, table, error);
	free(f.cpu_type);
	poptFreeContext(con);
	return err;
}

void help_options_release(struct help_options *opt)
{
	for (size_t i = 0; i < opt->nr_args; i++)
		free(opt->args[i]);
	free(opt->args);
	free(opt->cpu_type);
	memset(opt, 0, sizeof(*opt));
}
