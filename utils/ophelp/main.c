// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of ophelp: lists events, and checks whether and how events can be counted.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/nearest.h"
#include "libop/base/process.h"
#include "libop/event/counter_alloc.h"
#include "libop/event/plan.h"
#include "libop/event/tracepoint.h"
#include "libop/perf/counters.h"
#include "utils/ophelp/list.h"
#include "utils/ophelp/options.h"

#define EXIT_USAGE 2

/* cost of a sample with a call stack, as a multiple of the cost of a sample without a call stack */
#define CALLGRAPH_FACTOR 15

/* Return the name of the CPU type for messages, such as "skylake" for "i386/skylake". */
static const char *short_name(const struct op_cpu_desc *cpu)
{
	const char *slash = strrchr(cpu->name, '/');

	return slash ? slash + 1 : cpu->name;
}

static const struct op_cpu_desc *cpu_by_any_name(const char *name)
{
	const struct op_cpu_desc *cpu = op_cpu_by_name(name);

	for (size_t i = 0; !cpu && op_cpu_row(i); i++)
		if (!strcasecmp(short_name(op_cpu_row(i)), name))
			cpu = op_cpu_row(i);
	return cpu;
}

static int find_cpu(struct op_cpu_found *ret, const char *name, struct op_reason *error)
{
	const struct op_cpu_desc *cpu;
	struct op_nearest nearest = { .nr = 0 };
	struct op_reason cause = { "" };
	char text[300], *end;
	long number;

	memset(ret, 0, sizeof(*ret));
	if (!name) {
		if (op_counters_find(ret, &cause) != -ENODEV) {
			if (*cause.text && !*ret->note)
				snprintf(ret->note, sizeof(ret->note), "%.190s", cause.text);
			return 0;
		}
		*ret = (struct op_cpu_found){ NULL };
		/* Without hardware counters, list the events of the timer, which every machine
		 * has. */
		ret->cpu = op_cpu_by_number(OP_CPU_TIMER);
		snprintf(ret->note, sizeof(ret->note), "%.190s", cause.text);
		return 0;
	}
	number = strtol(name, &end, 10);
	cpu = *name && !*end ? op_cpu_by_number((int)number) : cpu_by_any_name(name);
	if (cpu) {
		op_cpu_found_set(ret, cpu);
		return 0;
	}
	for (size_t i = 0; (cpu = op_cpu_row(i)); i++)
		op_nearest_add(&nearest, name, strchr(name, '/') ? cpu->name : short_name(cpu));
	return op_fail(error, -ENOENT, "unknown CPU type %s%s; run ophelp --list-cpu-types for a "
				       "list", name, op_nearest_text(&nearest, text, sizeof(text)));
}

static void list_cpu_types(void)
{
	const struct op_cpu_desc *cpu;

	for (size_t i = 0; (cpu = op_cpu_row(i)); i++) {
		if (cpu->events || cpu->number == OP_CPU_TIMER)
			printf("%-26s %s\n", cpu->name, cpu->pretty);
	}
}

/* Look up the event @name in the table, and append it to the array *@events (op_grow()). */
static int add_named(const struct op_event ***events, size_t *nr, struct op_event_table *table,
		     const char *name, struct op_reason *error)
{
	struct op_event_spec spec = { .name = (char *)name, .user = 1 };
	struct op_event_choice choice;
	int err = op_event_resolve(&choice, table, &spec, OP_CHOOSE_ANY_COUNT, error);

	if (!err)
		err = op_grow(events, *nr);
	if (!err)
		(*events)[(*nr)++] = choice.event;
	return err;
}

/* Return whether the argument is a glob for names of tracepoints, such as "sched:*". */
static bool is_pattern(const char *arg)
{
	return strchr(arg, ':') && strpbrk(arg, "*?[");
}

static int add_tracepoints(const struct op_event ***events, size_t *nr,
			   struct op_event_table *table, const char *pattern,
			   struct op_reason *error)
{
	struct op_tracepoints found = { .nr = 0 };
	int err = op_tracepoints_list(&found, pattern, table->tracefs, error);

	if (!err && !found.nr)
		err = op_fail(error, -ENOENT, "the kernel has no tracepoint that matches \"%s\"; "
					      "ophelp '*:*' lists all tracepoints", pattern);
	for (size_t i = 0; i < found.nr && !err; i++)
		err = add_named(events, nr, table, found.names[i], error);
	op_tracepoints_release(&found);
	return err;
}

static int list(const struct help_options *opt, const struct op_cpu_found *cpu,
		struct op_event_table *table, struct op_reason *error)
{
	static const struct help_format *const formats[] = {
		[HELP_TEXT] = &help_text, [HELP_XML] = &help_xml, [HELP_JSON] = &help_json,
	};
	const struct op_event **named = NULL;
	size_t nr = 0;
	struct help_subject subject = {
		.cpu = cpu,
		.events = (const struct op_event *const *)table->events,
		.nr_events = table->nr_events,
		.min_factor = opt->callgraph ? CALLGRAPH_FACTOR : 1,
	};
	int err = 0;

	if (opt->nr_args) {
		for (size_t i = 0; i < opt->nr_args && !err; i++)
			err = is_pattern(opt->args[i]) ?
				      add_tracepoints(&named, &nr, table, opt->args[i], error) :
				      add_named(&named, &nr, table, opt->args[i], error);
		subject.events = named;
		subject.nr_events = nr;
		subject.details = true;
	}
	if (!err)
		err = formats[opt->output]->write(stdout, &subject, error);
	free(named);
	return err;
}

static void print_counter(const struct op_event_choice *choice, const char *space)
{
	if (choice->counter < 0)
		printf("%snone", space);
	else if (choice->counter < OP_FIXED_COUNTER(0))
		printf("%s%d", space, choice->counter);
	else
		printf("%sfixed%d", space, choice->counter - OP_FIXED_COUNTER(0));
}

static int check_events(const struct help_options *opt, const struct op_cpu_found *cpu,
			struct op_event_table *table, struct op_reason *error)
{
	struct op_event_choice *choices = calloc(opt->nr_args, sizeof(*choices));
	struct op_event_spec *specs = calloc(opt->nr_args, sizeof(*specs));
	uint32_t minimum;
	size_t i, nr = 0;
	int err = 0;

	if (!choices || !specs)
		err = -ENOMEM;
	while (!err && nr < opt->nr_args) {
		err = op_event_parse(&specs[nr], opt->args[nr], error);
		if (!err)
			nr++;
	}
	if (!err)
		err = op_events_choose(choices, table, specs, nr,
				       op_counter_mask(cpu->counters, cpu->fixed),
				       opt->ignore_count ? OP_CHOOSE_ANY_COUNT : 0, error);
	for (i = 0; i < nr && !err && opt->callgraph && !opt->ignore_count; i++) {
		minimum = choices[i].event->min_count;
		if (choices[i].count / CALLGRAPH_FACTOR < minimum)
			err = op_fail(error, OP_ERR_EVENT_COUNT,
				      "count %" PRIu64 " for event %s is "
				      "below the minimum with stacks, %" PRIu64,
				      choices[i].count, choices[i].event->name,
				      (uint64_t)minimum * CALLGRAPH_FACTOR);
	}
	for (i = 0; i < nr && !err; i++)
		print_counter(&choices[i], i ? " " : "");
	if (!err)
		putchar('\n');
	for (i = 0; i < nr; i++)
		op_event_spec_release(&specs[i]);
	free(specs);
	free(choices);
	return err;
}

/* Print the default unit mask of an event. The argument is NAME or NAME:COUNT:.... */
static int print_mask(const struct help_options *opt, struct op_event_table *table,
		      struct op_reason *error)
{
	const char *text = opt->args[0];
	struct op_event_spec spec = { .user = 1, .count = 1 };
	struct op_event_choice choice;
	int err;

	if (strchr(text, ':')) {
		err = op_event_parse(&spec, text, error);
		if (err)
			return err;
	} else {
		spec.name = strdup(text);
		if (!spec.name)
			return -ENOMEM;
	}
	err = op_event_resolve(&choice, table, &spec, OP_CHOOSE_ANY_COUNT, error);
	if (!err)
		printf("%" PRIu32 "\n", opt->action != HELP_UNIT_MASK	? choice.extra :
					spec.has_um		? choice.um :
								  help_um_default(choice.event));
	op_event_spec_release(&spec);
	return err;
}

static int print_default(const struct op_cpu_found *cpu, struct op_reason *error)
{
	const char *event = op_default_event(cpu->cpu);

	if (!event)
		return op_fail(error, -ENODATA, "no events for %s (%s)", cpu->cpu->pretty,
			       cpu->cpu->name);
	puts(event);
	return 0;
}

/* Run an action of the command line that needs the event table of a CPU. */
static int run_on_events(const struct help_options *opt, const struct op_cpu_found *cpu,
			 struct op_reason *error)
{
	struct op_event_table *table;
	int err;

	err = op_events_load(&table, cpu->cpu, NULL, error);
	if (err)
		return err;
	switch (opt->action) {
	case HELP_CHECK_EVENTS:
		err = check_events(opt, cpu, table, error);
		break;
	case HELP_UNIT_MASK:
	case HELP_EXTRA_MASK:
		err = print_mask(opt, table, error);
		break;
	default:
		err = list(opt, cpu, table, error);
	}
	op_event_table_free(table);
	return err;
}

static int run(const struct help_options *opt, struct op_reason *error)
{
	struct op_cpu_found cpu;
	int err;

	switch (opt->action) {
	case HELP_DONE:
		return 0;
	case HELP_VERSION:
		puts("ophelp: " PACKAGE_STRING);
		return 0;
	case HELP_LIST_CPU_TYPES:
		list_cpu_types();
		return 0;
	default:
		break;
	}
	err = find_cpu(&cpu, opt->cpu_type, error);
	if (err)
		return err;
	if (*cpu.note)
		fprintf(stderr, "ophelp: %s\n", cpu.note);
	if (opt->action == HELP_GET_CPU_TYPE) {
		puts(cpu.cpu->name);
		return 0;
	}
	if (opt->action == HELP_GET_DEFAULT_EVENT)
		return print_default(&cpu, error);
	return run_on_events(opt, &cpu, error);
}

int main(int argc, char **argv)
{
	struct help_options opt = { 0 };
	struct op_reason error = { "" };
	int status = EXIT_FAILURE, err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	err = help_options_parse(&opt, argc, (const char **)argv, &error);
	if (err)
		status = EXIT_USAGE;
	else
		err = run(&opt, &error);
	if (fflush(stdout) && !err)
		err = op_fail(&error, -errno, "cannot write the output: %s", strerror(errno));
	if (err)
		fprintf(stderr, "ophelp: %s\n", op_reason_text(&error, err));
	help_options_release(&opt);
	return err ? status : EXIT_SUCCESS;
}
