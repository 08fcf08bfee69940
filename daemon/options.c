// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- parsing and checking of oprofiled's command line.
 */
#include "config.h"
#include "daemon/options.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/config_file.h"
#include "daemon/source/ext.h"
#include "intervals/plan.h"
#include "libop/base/cache_dir.h"
#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "libop/base/size.h"
#include "libop/cpu/list.h"
#include "module/uapi/offcpu.h"

/* default of --group for root's daemon, if the group exists */
#define DEFAULT_GROUP	"oprofile"
#define MAX_OPTIONS	100
/* default of --max-memory with --interval: MEMORY bytes for up to MEMORY_CPUS CPUs, plus
 * MEMORY_OF_CPU bytes for each further CPU */
#define MEMORY		(64ull << 20)
#define MEMORY_CPUS	2
#define MEMORY_OF_CPU	(16ull << 20)
/* getopt_long() returns this number plus the index in op_setting_table for an option without a
 * short form */
#define OPT_LONG	256
#define HELP_COLUMN	27
#define HELP_WIDTH	80

static const struct option other_options[] = {
	{ "version", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
};
#define NR_OTHERS	(sizeof(other_options) / sizeof(other_options[0]))

/* oprofiled's options, in the form that getopt_long() requires */
struct table {
	struct option longs[MAX_OPTIONS + NR_OTHERS + 1];
	char shorts[2 * MAX_OPTIONS + 4];
};

static int needs_value(const struct op_setting *row)
{
	if (row->type != OP_SETTING_FLAG)
		return row->without ? optional_argument : required_argument;
	return row->arg ? optional_argument : no_argument;
}

static void make_table(struct table *table)
{
	const struct op_setting *row;
	size_t nr = 0;
	char *letter = stpcpy(table->shorts, ":vh");

	memset(table->longs, 0, sizeof(table->longs));
	op_for_each_setting(row, OP_FOR_DAEMON) {
		if (!row->name || nr == MAX_OPTIONS)
			continue;
		table->longs[nr++] = (struct option){ row->name, needs_value(row), NULL,
						      OPT_LONG + (int)(row - op_setting_table) };
		if (row->letter)
			letter += sprintf(letter, "%c%s", row->letter,
					  needs_value(row) == required_argument ? ":"
					  : row->without			? "::"
										: "");
	}
	memcpy(&table->longs[nr], other_options, sizeof(other_options));
}

static const struct op_setting *row_of(int opt)
{
	const struct op_setting *row;

	if (opt >= OPT_LONG)
		return &op_setting_table[opt - OPT_LONG];
	op_for_each_setting(row, OP_FOR_DAEMON) {
		if (row->letter == opt)
			return row;
	}
	return NULL;
}

/* Print a line of --help: the option @head, and to its right a column with the description
 * @words. */
static void print_column(FILE *out, const char *head, const char *words)
{
	int col = fprintf(out, "%s", head), room = HELP_COLUMN - 2;

	while (*words) {
		int len = (int)strcspn(words, " ");

		if (col > room) {
			fputc('\n', out);
			col = 0;
		}
		col += fprintf(out, "%*s%.*s", col < HELP_COLUMN ? HELP_COLUMN - col : 1, "", len,
			       words);
		words += len;
		words += strspn(words, " ");
		room = HELP_WIDTH - 1 - (int)strcspn(words, " ");
	}
	fputc('\n', out);
}

static void print_help(FILE *out)
{
	const struct op_setting *row;

	fputs("Usage: oprofiled [OPTION...]\n"
	      "Takes samples from the kernel and writes sample files for opreport.\n"
	      "Usually started by opcontrol(1); see oprofiled(8).\n\n", out);
	op_for_each_setting(row, OP_FOR_DAEMON) {
		char head[200], letter[] = "-x, ";
		bool optional = needs_value(row) == optional_argument;

		if (!row->name)
			continue;
		letter[1] = row->letter;
		snprintf(head, sizeof(head), "  %s--%s%s%s%s%s", row->letter ? letter : "",
			 row->name, optional ? "[" : "", row->arg ? "=" : "",
			 row->arg ? row->arg : "", optional ? "]" : "");
		print_column(out, head, row->help);
	}
	print_column(out, "  -v, --version", "print the version");
	print_column(out, "  -h, --help", "print this help");
}

/* Call @parse for each element of the comma-separated list @list. */
static int each_part(struct opd_config *cfg, const char *list,
		     int (*parse)(struct opd_config *cfg, const char *part, FILE *err), FILE *err)
{
	char *copy = strdup(list), *rest = copy, *part;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (part = strsep(&rest, ",")))
		ret = parse(cfg, part, err);
	free(copy);
	return ret;
}

/* Return whether the profiler makes the samples of the event from other records. */
static bool is_made(const struct op_event_spec *spec)
{
	return op_event_is_offcpu(spec->name) || op_event_is_latency(spec->name);
}

/* Add an event, which the configuration then owns. Keep the events OFFCPU and LATENCY after all
 * others: the number of the event TIMER must be 0. */
static int add_event(struct opd_config *cfg, struct op_event_spec *spec, FILE *err)
{
	size_t at = cfg->nr_events;

	if (cfg->nr_events == OPD_MAX_EVENTS) {
		fprintf(err, "oprofiled: too many events: the limit is %d\n", OPD_MAX_EVENTS);
		op_event_spec_release(spec);
		return -EINVAL;
	}
	if (op_grow(&cfg->events, cfg->nr_events)) {
		op_event_spec_release(spec);
		return -ENOMEM;
	}
	for (; at && !is_made(spec) && is_made(&cfg->events[at - 1]); at--)
		cfg->events[at] = cfg->events[at - 1];
	cfg->events[at] = *spec;
	cfg->nr_events++;
	return 0;
}

/* Add an event for each reason of a wait: the event OFFCPU without a reason means all reasons. */
static int add_reasons(struct opd_config *cfg, const struct op_event_spec *all, FILE *err)
{
	int ret = 0;

	for (uint32_t reason = 1; reason <= OPROFILE_OFFCPU_MAX_REASON && !ret; reason++) {
		struct op_event_spec spec = *all;

		spec.name = strdup(all->name);
		if (!spec.name)
			return -ENOMEM;
		spec.um = reason;
		spec.has_um = true;
		ret = add_event(cfg, &spec, err);
	}
	return ret;
}

static int parse_event(struct opd_config *cfg, const char *part, FILE *err)
{
	struct op_reason error = { "" };
	struct op_event_spec spec;
	int ret;

	if (!*part && !cfg->nr_events)	/* an empty list means the event TIMER */
		part = "TIMER:1000000";
	ret = op_event_parse(&spec, part, &error);
	if (ret) {
		fprintf(err, "oprofiled: event %s\n", op_reason_text(&error, ret));
		return ret;
	}
	if (!strcasecmp(spec.name, OP_EVENT_OFFCPU) && !spec.has_um) {
		ret = add_reasons(cfg, &spec, err);
		op_event_spec_release(&spec);
		return ret;
	}
	return add_event(cfg, &spec, err);
}

static int parse_image(struct opd_config *cfg, const char *part, FILE *err)
{
	char *path;

	if (!strcmp(part, "all"))
		return 0;
	if (part[0] != '/') {
		op_clean_printf(err, "oprofiled: --image needs absolute paths, not '%s'\n", part);
		return -EINVAL;
	}
	/* Resolve symbolic links in the path, because the kernel reports paths without them. Leave
	 * a path unchanged if no file has it yet. */
	path = realpath(part, NULL);
	if (!path)
		path = strdup(part);
	if (!path || op_grow(&cfg->images, cfg->nr_images)) {
		free(path);
		return -ENOMEM;
	}
	cfg->images[cfg->nr_images++] = path;
	return 0;
}

static int parse_pid(struct opd_config *cfg, const char *part, FILE *err)
{
	char *end;
	unsigned long n = strtoul(part, &end, 10);

	if (part[0] < '0' || part[0] > '9' || *end || !n || n > 1u << 30) {
		op_clean_printf(err, "oprofiled: '%s' is not a process id\n", part);
		return -EINVAL;
	}
	if (op_grow(&cfg->pids, cfg->nr_pids))
		return -ENOMEM;
	cfg->pids[cfg->nr_pids++] = n;
	return 0;
}

/* Parse the value of an option. @row: the option's entry in the table of settings. */
static int parse_setting(struct opd_config *cfg, const struct op_setting *row, const char *value,
			 FILE *err)
{
	struct op_reason cause = { "" };
	int ret = op_setting_parse(row, &cfg->set, value, &cause);

	if (ret == -EINVAL)
		fprintf(err, "oprofiled: %s%s: %s\n", row->name ? "--" : "",
			row->name ? row->name : row->variable, cause.text);
	return ret;
}

static int parse_named(struct opd_config *cfg, const char *name, const char *value, FILE *err)
{
	return parse_setting(cfg, op_setting_by_name(name, OP_FOR_DAEMON), value, err);
}

void opd_config_clear_events(struct opd_config *cfg)
{
	while (cfg->nr_events)
		op_event_spec_release(&cfg->events[--cfg->nr_events]);
	free(cfg->events);
	cfg->events = NULL;
}

int opd_config_add_events(struct opd_config *cfg, const char *value, FILE *err)
{
	char *copy = strdup(value), *part = copy;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret) {
		size_t len = op_event_list_length(part);
		bool last = !part[len];

		part[len] = '\0';
		ret = parse_event(cfg, part, err);
		if (last)
			break;
		part += len + 1;
	}
	free(copy);
	return ret;
}

static int parse_images(struct opd_config *cfg, const char *value, FILE *err)
{
	return each_part(cfg, value, parse_image, err);
}

static int parse_pids(struct opd_config *cfg, const char *value, FILE *err)
{
	return each_part(cfg, value, parse_pid, err);
}

/* Parse --source. The value "replay:FILE" means --replay=FILE. */
static int parse_source(struct opd_config *cfg, const char *value, FILE *err)
{
	if (!strncmp(value, "replay:", 7))
		return parse_named(cfg, "replay", value + 7, err);
	return parse_named(cfg, "source", value, err);
}

static int parse_cpus(struct opd_config *cfg, const char *value, FILE *err)
{
	bool wanted[OP_MAX_CPUS];

	if (op_cpus_select(wanted, value, OP_CPU_SYSFS)) {
		fprintf(err,
			"oprofiled: --cpus=%s: must be a list of CPUs such as 0-3,8, or all, or "
			"auto\n",
			value);
		return -EINVAL;
	}
	return parse_named(cfg, "cpus", value, err);
}

/* Parse --ext-feature. The value "ibs:fetch:A,B:COUNT:UM|op:C:COUNT:UM" means
 * --events=A:COUNT:UM,... */
static int parse_ext_feature(struct opd_config *cfg, const char *value, FILE *err)
{
	char *text = NULL;
	int ret = opd_ext_events(&text, value);

	if (ret == -EINVAL)
		op_clean_printf(err, "oprofiled: '%s' is not an extended feature; the only one is "
			"ibs:fetch:EVENT[,...]:COUNT:UM|op:EVENT[,...]:COUNT:UM\n", value);
	if (!ret)
		ret = opd_config_add_events(cfg, text, err);
	free(text);
	return ret;
}

/* Store the path of --config. The file is read later, after all options were parsed. */
static int parse_config(struct opd_config *cfg, const char *value, FILE *err)
{
	if (value[0] == '/') {
		free(cfg->file);
		cfg->file = strdup(value);
		return cfg->file ? 0 : -ENOMEM;
	}
	op_clean_printf(err, "oprofiled: --config needs an absolute path, not '%s'\n", value);
	return -EINVAL;
}

/* Options that have their own parsers, because the table of settings cannot describe their
 * values. */
static const struct own {
	const char *name;
	int (*parse)(struct opd_config *cfg, const char *value, FILE *err);
	/* the option may be given several times, and each time adds values */
	bool adds;
} owns[] = {
	{ "config", parse_config, false },
	{ "cpus", parse_cpus, false },
	{ "events", opd_config_add_events, true },
	{ "ext-feature", parse_ext_feature, true },
	{ "image", parse_images, true },
	{ "pid", parse_pids, true },
	{ "source", parse_source, false },
};

static bool may_repeat(const struct op_setting *row)
{
	for (size_t i = 0; i < sizeof(owns) / sizeof(owns[0]); i++) {
		if (!strcmp(owns[i].name, row->name))
			return owns[i].adds;
	}
	return !strcmp(row->name, "verbose");
}

/* Reject an option that was already given, unless it may add values. @seen: for each option,
 * whether it was given. Return 0 or -EINVAL. */
static int check_once(bool seen[MAX_OPTIONS], int opt, const char *value, FILE *err)
{
	const struct op_setting *row = row_of(opt);
	size_t i = (size_t)(row - op_setting_table);

	if (i >= MAX_OPTIONS || !value || may_repeat(row))
		return 0;
	if (seen[i]) {
		op_clean_printf(err, "oprofiled: --%s can be given only once; --%s=%s is the second value\n",
				row->name, row->name, value);
		return -EINVAL;
	}
	seen[i] = true;
	return 0;
}

/* Return true if the command line contains the option @name. */
static bool is_seen(const bool seen[MAX_OPTIONS], const char *name)
{
	return seen[op_setting_by_name(name, OP_FOR_DAEMON) - op_setting_table];
}

int opd_config_set(struct opd_config *cfg, const struct op_setting *row, const char *value,
		   FILE *err)
{
	for (size_t i = 0; i < sizeof(owns) / sizeof(owns[0]); i++) {
		if (row->name && !strcmp(owns[i].name, row->name))
			return owns[i].parse(cfg, value, err);
	}
	return parse_setting(cfg, row, value, err);
}

static enum opd_source_kind source_of(const struct op_settings *set)
{
	if (set->replay)
		return OPD_SOURCE_REPLAY;
	if (!set->source)
		return OPD_SOURCE_AUTO;
	return op_setting_word(op_setting_by_name("source", OP_FOR_DAEMON)->words, set->source);
}

/* Return the group whose members may send requests, or (gid_t)-1. Without --group, only root's
 * daemon has a group: an ordinary user's profile is private. */
static gid_t group_of(const struct op_settings *set)
{
	const struct group *group = NULL;

	if (set->group)
		group = getgrnam(set->group);
	else if (geteuid() == 0)
		group = getgrnam(DEFAULT_GROUP);
	return group ? group->gr_gid : (gid_t)-1;
}

static int check_intervals(struct opd_config *cfg, FILE *err)
{
	struct op_reason cause = { "" };
	int ret = itv_plan_settings(&cfg->intervals, &cfg->set, &cause);

	if (ret)
		fprintf(err, "oprofiled: %s\n", op_reason_text(&cause, ret));
	return ret;
}

/* Set the daemon's memory limit. Without --max-memory, the daemon has a limit only if it has
 * intervals, because it then runs for months beside other programs. */
static int check_memory(struct opd_config *cfg, FILE *err)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (cfg->set.max_memory) {
		struct op_reason cause = { "" };
		int ret = op_settings_memory(&cfg->memory, cfg->set.max_memory, &cause);

		if (ret)
			fprintf(err, "oprofiled: %s\n", cause.text);
		return ret;
	}
	if (cfg->intervals.interval)
		cfg->memory = MEMORY + (cpus > MEMORY_CPUS ? (uint64_t)(cpus - MEMORY_CPUS) *
								MEMORY_OF_CPU : 0);
	return 0;
}

static int check_sizes(struct opd_config *cfg, FILE *err)
{
	const char *copy = cfg->set.callgraph_stack;
	uint64_t stack = 0;

	if (op_size_parse(&cfg->symbols, cfg->set.symbols) ||
	    op_size_parse(&cfg->paths.limit, cfg->set.callgraph_limit) ||
	    (copy && op_size_parse(&stack, copy)))
		return -EINVAL;
	if ((copy && (stack < OPD_MIN_STACK || stack > OPD_MAX_STACK)) ||
	    cfg->paths.limit < OPD_MIN_PATHS) {
		fprintf(err,
			"oprofiled: --callgraph-stack must be %d to %d bytes, --callgraph-limit at "
			"least %d\n",
			OPD_MIN_STACK, OPD_MAX_STACK, OPD_MIN_PATHS);
		return -EINVAL;
	}
	if (cfg->set.cache_size && op_cache_limit_parse(&cfg->cache_size, cfg->set.cache_size)) {
		fprintf(err, "oprofiled: --cache-size must be at least %u MB, not %s\n",
			(unsigned int)(OP_CACHE_LEAST_BYTES >> 20), cfg->set.cache_size);
		return -EINVAL;
	}
	if (check_intervals(cfg, err))
		return -EINVAL;
	if (check_memory(cfg, err))
		return -EINVAL;
	cfg->paths.depth = (unsigned int)cfg->set.callgraph;
	cfg->paths.by_function =
		cfg->set.callgraph_by && !strcmp(cfg->set.callgraph_by, "function");
	cfg->paths.stack = (unsigned int)stack & ~7u;
	return 0;
}

/* Check the settings that depend on other settings, and set their defaults. */
int opd_config_complete(struct opd_config *cfg, FILE *err)
{
	if (!cfg->nr_events && parse_event(cfg, "", err))
		return -EINVAL;
	for (size_t i = 0; i < cfg->nr_events; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct op_event_spec *a = &cfg->events[i], *b = &cfg->events[j];

			if (!strcmp(a->name, b->name) && a->count == b->count && a->um == b->um &&
			    !a->um_name && !b->um_name) {
				op_clean_printf(err, "oprofiled: event %s:%llu:%u is given twice\n",
						a->name, (unsigned long long)a->count, a->um);
				return -EINVAL;
			}
		}
	}
	if (cfg->set.vmlinux && cfg->set.no_vmlinux) {
		fprintf(err, "oprofiled: --vmlinux and --no-vmlinux exclude each other\n");
		return -EINVAL;
	}
	cfg->source = source_of(&cfg->set);
	if (cfg->nr_pids && cfg->source == OPD_SOURCE_AUTO)
		cfg->source = OPD_SOURCE_PERF;
	if (cfg->nr_pids && cfg->source != OPD_SOURCE_PERF) {
		fprintf(err,
			"oprofiled: --pid works with --source=perf only; use --image to select "
			"programs\n");
		return -EINVAL;
	}
	if (cfg->source == OPD_SOURCE_REPLAY)
		cfg->set.start = true;
	cfg->group = group_of(&cfg->set);
	return check_sizes(cfg, err);
}

enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err)
{
	bool seen[MAX_OPTIONS] = { false };
	struct table table;
	int opt, ret;

	*cfg = (struct opd_config){ .argc = argc, .argv = argv };
	if (op_settings_init(&cfg->set, OP_FOR_DAEMON)) {
		fprintf(err, "oprofiled: out of memory\n");
		return OPD_PARSE_ERROR;
	}
	make_table(&table);
	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, table.shorts, table.longs, NULL)) != -1) {
		if (opt == 'h') {
			print_help(out);
			return OPD_PARSE_DONE;
		}
		if (opt == 'v') {
			fprintf(out, "oprofiled: oprofile %s\n", PACKAGE_VERSION);
			return OPD_PARSE_DONE;
		}
		if (opt == '?' || opt == ':') {
			op_clean_printf(err, "oprofiled: %s '%s'; see oprofiled --help\n",
				opt == '?' ? "unknown option" : "missing value after",
				argv[optind - 1]);
			return OPD_PARSE_ERROR;
		}
		if (check_once(seen, opt, optarg, err))
			return OPD_PARSE_ERROR;
		ret = opd_config_set(cfg, row_of(opt), optarg, err);
		if (ret == -ENOMEM)
			fprintf(err, "oprofiled: out of memory\n");
		if (ret)
			return OPD_PARSE_ERROR;
	}
	if (optind < argc) {
		op_clean_printf(err, "oprofiled: '%s' is not an option; see oprofiled --help\n",
			argv[optind]);
		return OPD_PARSE_ERROR;
	}
	ret = cfg->file ? opd_config_file_read(cfg, is_seen(seen, "session-dir")) : 0;
	if (ret) {
		fprintf(err, "oprofiled: out of memory\n");
		return OPD_PARSE_ERROR;
	}
	return opd_config_complete(cfg, err) ? OPD_PARSE_ERROR : OPD_PARSE_RUN;
}
