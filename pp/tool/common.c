// SPDX-License-Identifier: GPL-2.0-or-later
/* common.c -- parsing of the options that all report tools share. */
#include "config.h"
#include "pp/tool/common.h"

#include <errno.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb.h"
#include "libop/base/clean.h"
#include "libop/base/nearest.h"
#include "libop/base/option_words.h"
#include "libop/base/time_words.h"
#include "libop/event/spec.h"
#include "libop/session/paths.h"
#include "pp/session/classes.h"

#define MAX_OPTIONS	30
#define MAX_MEANT	200

/* Values of options as popt stores them. This file frees the strings. */
struct raw {
	char *session_dir, *image_path, *root, *last, *since, *until, *at;
	char *merge, *wall, *threshold, *demangle, *include, *exclude;
	int exclude_dependent, idle, anon_ranges, force, debuginfod, no_cache, verbose, version;
};

static void raw_release(struct raw *raw)
{
	free(raw->session_dir);
	free(raw->image_path);
	free(raw->root);
	free(raw->last);
	free(raw->since);
	free(raw->until);
	free(raw->at);
	free(raw->merge);
	free(raw->wall);
	free(raw->threshold);
	free(raw->demangle);
	free(raw->include);
	free(raw->exclude);
}

static size_t word_length(const char *list)
{
	size_t len = strcspn(list, ",");

	while (list[len] == ',' && list[len + 1] == ' ')
		len += 1 + strcspn(list + len + 1, ",");
	return len;
}

int pp_words_add(struct pp_values *v, const char *list)
{
	while (list && *list) {
		size_t len = word_length(list);

		if (pp_values_add(v, list, len))
			return -ENOMEM;
		list += len + (list[len] == ',');
	}
	return 0;
}

struct merge_word {
	const char *word;
	unsigned int merge;
};

static const struct merge_word merge_words[] = {
	{ "cpu", PP_MERGE_CPU },
	{ "lib", PP_MERGE_LIB },
	{ "library", PP_MERGE_LIB },
	{ "tid", PP_MERGE_TID },
	{ "tgid", PP_MERGE_TGID | PP_MERGE_TID },
	{ "unit", PP_MERGE_UNIT },
	{ "unitmask", PP_MERGE_UNITMASK },
	{ "all", PP_MERGE_ALL },
};

#define MERGE_WORDS "cpu, lib, tid, tgid, unit, unitmask, all"

static int parse_merge(unsigned int *merge, const char *list, struct pp_log *log)
{
	char meant[MAX_MEANT];

	while (list) {
		size_t len = strcspn(list, ","), i,
		       nr = sizeof(merge_words) / sizeof(merge_words[0]);

		for (i = 0; i < nr; i++)
			if (strlen(merge_words[i].word) == len &&
			    !memcmp(merge_words[i].word, list, len))
				break;
		if (i == nr) {
			return op_fail(&log->error, -EINVAL,
				       "--merge=%.*s: not one of " MERGE_WORDS "%s", (int)len, list,
				       op_list_suggest(MERGE_WORDS, list, len, meant,
						       sizeof(meant)));
		}
		*merge |= merge_words[i].merge;
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

static int parse_threshold(double *ret, const char *text, struct pp_log *log)
{
	char *end;

	if (!text)
		return 0;
	*ret = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(*ret >= 0 && *ret <= 100))
		return op_fail(&log->error, -EINVAL,
			       "--threshold=%s: must be a percentage from 0 to 100", text);
	return 0;
}

#define DEMANGLE_WORDS "none, normal, smart"

static int parse_demangle(enum pp_demangle *ret, const char *text, struct pp_log *log)
{
	char meant[MAX_MEANT];

	if (!text || !strcmp(text, "normal")) {
		*ret = PP_DEMANGLE_NORMAL;
	} else if (!strcmp(text, "none")) {
		*ret = PP_DEMANGLE_NONE;
	} else if (!strcmp(text, "smart")) {
		*ret = PP_DEMANGLE_SMART;
	} else {
		return op_fail(
			&log->error, -EINVAL, "--demangle=%s: not one of " DEMANGLE_WORDS "%s", text,
			op_list_suggest(DEMANGLE_WORDS, text, strlen(text), meant, sizeof(meant)));
	}
	return 0;
}

/* Return whether @list is an argument of --verbose in OProfile 1.4: a comma-separated list of
 * message subjects. */
static bool are_subjects(const char *list)
{
	static const char *const subjects[] = {
		"all", "debug", "bfd", "level1", "sfile", "stats", "xml",
	};

	for (;;) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < sizeof(subjects) / sizeof(subjects[0]) &&
		       (strlen(subjects[i]) != len || strncmp(subjects[i], list, len)))
			i++;
		if (i == sizeof(subjects) / sizeof(subjects[0]))
			return false;
		if (!list[len])
			return true;
		list += len + 1;
	}
}

#define WALL_THREADS	"threads"	/* the value of --wall without a value */
#define WALL_LATENCY	"latency"

/* Return a copy of @argv without arguments of --verbose, and with a value of each --wall, or NULL
 * if out of memory, and set *@ret_nr to the number of words. OProfile 1.4's --verbose has an
 * optional list of subjects as its argument. popt would parse any word after --verbose or --wall as
 * its argument. */
static const char **plain_words(int argc, const char **argv, int *ret_nr)
{
	const char **words = calloc(argc + 1, sizeof(*words));
	int nr = 0;

	for (int i = 0; words && i < argc; i++) {
		const char *word = !strncmp(argv[i], "--verbose=", 10) ? "--verbose" :
				   !strcmp(argv[i], "--wall") ? "--wall=" WALL_THREADS : argv[i];

		words[nr++] = word;
		if ((!strcmp(word, "-V") || !strcmp(argv[i], "--verbose")) && i + 1 < argc &&
		    are_subjects(argv[i + 1]))
			i++;
	}
	*ret_nr = nr;
	return words;
}

static char *move_string(char **from)
{
	char *text = *from;

	*from = NULL;
	return text;
}

static char *quote_command(int argc, const char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; f && i < argc; i++) {
		if (i)
			putc(' ', f);
		op_put_word(f, argv[i]);
	}
	if (!f || fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Print an option and, unless @value is NULL, "=" and the value, quoted for a shell. */
static void put_option(FILE *out, const char *option, const char *value)
{
	fprintf(out, " %s%s", option, value ? "=" : "");
	if (value)
		op_put_word(out, value);
}

/* Return whether op_put_word() prints @word without replacing characters. */
static bool is_printable(const char *word)
{
	char clean[OP_CLEAN_MAX];

	return !word || !strcmp(op_clean(clean, sizeof(clean), word), word);
}

/*
 * Set *@ret to the options and words with which the user selected samples and directories, each
 * after a blank, and *@nr_option_bytes to the length of the options. Messages that suggest other
 * commands repeat them. If a word has unprintable characters, leave *@ret NULL. Return 0 or
 * -ENOMEM.
 */
static int quote_selection(char **ret, size_t *nr_option_bytes, const struct raw *raw,
			   const char **words)
{
	const struct {
		const char *option, *value;
		bool is_given;
	} options[] = {
		{"--session-dir", raw->session_dir, raw->session_dir},
		{"--image-path", raw->image_path, raw->image_path},
		{"--root", raw->root, raw->root},
		{"--last", raw->last, raw->last},
		{"--since", raw->since, raw->since},
		{"--until", raw->until, raw->until},
		{"--at", raw->at, raw->at},
		{"--merge", raw->merge, raw->merge},
		{"--demangle", raw->demangle, raw->demangle},
		{"--include-symbols", raw->include, raw->include},
		{"--exclude-symbols", raw->exclude, raw->exclude},
		{"--idle", NULL, raw->idle},
		{"--wall", raw->wall, raw->wall},
		{"--exclude-dependent", NULL, raw->exclude_dependent},
		{"--anon-ranges", NULL, raw->anon_ranges},
		{"--force", NULL, raw->force},
		{"--debuginfod", NULL, raw->debuginfod},
		{"--no-cache", NULL, raw->no_cache},
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool is_fine = true;

	for (size_t i = 0; f && i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].is_given)
			put_option(f, options[i].option, options[i].value);
		is_fine = is_fine && is_printable(options[i].value);
	}
	if (f && !fflush(f))
		*nr_option_bytes = size;
	for (size_t i = 0; f && words && words[i]; i++) {
		is_fine = is_fine && is_printable(words[i]);
		putc(' ', f);
		op_put_word(f, words[i]);
	}
	if (!f || fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	if (is_fine)
		*ret = text;
	else
		free(text);
	return 0;
}

/*
 * Split the words COMMON { FIRST } { SECOND } into the specifications of the two sides of a
 * differential profile: *@first is COMMON and FIRST, *@second is COMMON and SECOND.
 */
static int split_diff(const char **words, size_t nr, const char **first, size_t *nr_first,
		      const char **second, size_t *nr_second, struct pp_log *log)
{
	int braces = 0, open = 0;

	*nr_first = *nr_second = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *word = words[i];

		if (!strcmp(word, "{}") && !open && braces < 2) {
			braces++;
		} else if (!strcmp(word, "{") && !open && braces < 2) {
			braces++;
			open = 1;
		} else if (!strcmp(word, "}") && open) {
			open = 0;
		} else if (word[0] == '{' || word[0] == '}') {
			return op_fail(
				&log->error, -EINVAL,
				"invalid profile specification at '%s': write a differential "
				"profile as { SPEC } { SPEC }, with spaces around each brace",
				word);
		} else {
			if (!open || braces == 1)
				first[(*nr_first)++] = word;
			if (!open || braces == 2)
				second[(*nr_second)++] = word;
		}
	}
	if (open || braces == 1) {
		return op_fail(&log->error, -EINVAL, "invalid profile specification: %s",
			       open ? "a { is not closed"
				    : "a differential profile needs two { } parts");
	}
	return braces == 2;
}

static int parse_specs(struct pp_common *c, const struct pp_tool *tool, const char **words,
		       struct pp_log *log)
{
	const char **first, **second;
	size_t nr = 0, nr_first = 0, nr_second = 0;
	int ret;

	while (words && words[nr])
		nr++;
	first = calloc(nr + 1, sizeof(*first));
	second = calloc(nr + 1, sizeof(*second));
	ret = first && second ?
		      split_diff(words, nr, first, &nr_first, second, &nr_second, log) :
		      -ENOMEM;
	if (ret > 0 && !(tool->options & PP_OPT_DIFF)) {
		ret = op_fail(&log->error, -EINVAL,
			      "differential profiles ({ } { }) are not allowed here; run opreport%s",
			      c->selection ? c->selection : "");
	}
	if (ret >= 0) {
		c->is_diff = ret;
		ret = pp_spec_parse(&c->spec, first, nr_first, log);
		if (!ret && c->is_diff)
			ret = pp_spec_parse(&c->second, second, nr_second, log);
	}
	free(first);
	free(second);
	return ret;
}

/* Convert --last, --since, --until or --at to a value of the tag "time:". *@ret is malloc'd, or
 * NULL if the user gave none of these options. Return 0 or a negative errno. */
static int make_period(char **ret, const struct raw *raw, struct pp_log *log)
{
	int64_t seconds;
	int nr = !!raw->last + (raw->since || raw->until) + !!raw->at, err;

	*ret = NULL;
	if (!nr)
		return 0;
	if (nr > 1)
		return op_fail(&log->error, -EINVAL,
			       "--last, --at, and --since with --until exclude each other");
	err = raw->last ? op_duration_parse(&seconds, raw->last) : 0;
	if (err == -ERANGE)
		return op_fail(&log->error, -EINVAL,
			       "--last=%s: this is longer than " OP_LONGEST_DURATION, raw->last);
	if (err)
		return op_fail(&log->error, -EINVAL,
			       "--last=%s: \"%s\" is not a duration: write " OP_DURATION_RULE,
			       raw->last, raw->last);
	if (raw->last && !seconds)
		return op_fail(&log->error, -EINVAL, "--last=%s: no time has this length",
			       raw->last);
	if (raw->at && strstr(raw->at, ".."))
		return op_fail(&log->error, -EINVAL,
			       "--at=%s: this is a range: use --since and --until", raw->at);
	if (raw->at)
		*ret = strdup(raw->at);
	else if (asprintf(ret, "%s%s..%s", raw->last ? "-" : "",
			  raw->last ? raw->last : raw->since ? raw->since : "@0",
			  raw->until ? raw->until : "now") < 0)
		*ret = NULL;
	return *ret ? 0 : -ENOMEM;
}

/* Add the period of --last, --since, --until or --at to each specification that does not have the
 * tag "time:". */
static int choose_time(struct pp_common *c, const struct raw *raw, struct pp_log *log)
{
	char *period;
	const struct pp_values *of_first = &c->spec.tags[PP_TAG_TIME];
	int err = make_period(&period, raw, log);

	if (!err && period && of_first->nr && (!c->is_diff || c->second.tags[PP_TAG_TIME].nr))
		err = op_fail(&log->error, -EINVAL,
			      "time:%s already chooses the time: omit %s", of_first->items[0],
			      raw->last ? "--last" : raw->at ? "--at" : "--since and --until");
	if (!err && period)
		err = pp_spec_set_time(&c->spec, period);
	if (!err && period && c->is_diff)
		err = pp_spec_set_time(&c->second, period);
	free(period);
	return err;
}

/* Refuse --session-dir if both sides of a differential profile have the tag "session-dir:", because
 * the option would then have no effect. */
static int check_session_dirs(const struct pp_common *c, const struct raw *raw, struct pp_log *log)
{
	if (!raw->session_dir || !c->spec.tags[PP_TAG_SESSION_DIR].nr ||
	    (c->is_diff && !c->second.tags[PP_TAG_SESSION_DIR].nr))
		return 0;
	return op_fail(&log->error, -EINVAL,
		       "--session-dir=%s and session-dir:%s are two ways to name the directory: "
		       "give one",
		       raw->session_dir, c->spec.tags[PP_TAG_SESSION_DIR].items[0]);
}

static int add_event(struct pp_common *c, const char *name)
{
	int err = pp_values_add(&c->spec.tags[PP_TAG_EVENT], name, strlen(name));

	return err ? err : pp_values_add(&c->second.tags[PP_TAG_EVENT], name, strlen(name));
}

/* Select the events of --wall, whose value is @value; NULL: the option was not given. */
static int choose_wall(struct pp_common *c, const char *value, struct pp_log *log)
{
	int err;

	if (!value)
		return 0;
	if (!strcmp(value, WALL_LATENCY))
		return add_event(c, OP_EVENT_LATENCY);
	if (strcmp(value, WALL_THREADS))
		return op_fail(&log->error, -EINVAL, "--wall=%s is not valid: use --wall=" WALL_LATENCY
			       ", or --wall alone, which reports where threads compute and where "
			       "they wait", value);
	err = add_event(c, OP_EVENT_TIMER);
	return err ? err : add_event(c, OP_EVENT_OFFCPU);
}

static int convert(struct pp_common *c, struct raw *raw, const struct pp_tool *tool,
		   const char **words, struct pp_log *log)
{
	int err = parse_merge(&c->merge, raw->merge, log);

	c->merge_all = raw->merge && !strcmp(raw->merge, "all");
	if (!err && (c->merge & PP_MERGE_LIB) && !c->merge_all && raw->exclude_dependent) {
		err = op_fail(&log->error, -EINVAL,
			      "--merge=lib has no effect with --exclude-dependent, which "
			      "excludes all libraries: omit one of the two");
	}
	if (!err)
		err = parse_threshold(&c->threshold, raw->threshold, log);
	c->threshold_given = raw->threshold != NULL;
	if (!err)
		err = parse_demangle(&c->demangle, raw->demangle, log);
	c->demangle_given = raw->demangle != NULL;
	if (!err)
		err = quote_selection(&c->selection, &c->nr_option_bytes, raw, words);
	if (!err)
		err = parse_specs(c, tool, words, log);
	if (!err)
		err = choose_time(c, raw, log);
	if (!err)
		err = choose_wall(c, raw->wall, log);
	if (!err)
		err = check_session_dirs(c, raw, log);
	if (err)
		return err;
	if (pp_words_add(&c->include_symbols, raw->include) ||
	    pp_words_add(&c->exclude_symbols, raw->exclude))
		return -ENOMEM;
	c->session_dir = move_string(&raw->session_dir);
	c->image_path = move_string(&raw->image_path);
	c->root = move_string(&raw->root);
	c->exclude_dependent = raw->exclude_dependent;
	c->anon_ranges = raw->anon_ranges;
	c->spec.sums_reasons = c->second.sums_reasons = tool->options & PP_OPT_IDLE;
	c->spec.hides_idle = c->second.hides_idle = c->spec.sums_reasons && !raw->idle;
	c->force = raw->force;
	c->debuginfod = raw->debuginfod;
	c->no_cache = raw->no_cache;
	c->verbose = raw->verbose;
	return 0;
}

/* Fill @table with the options that choose the data, which all tools have. Return their number. */
static size_t make_data_table(struct poptOption *table, struct raw *raw)
{
	const struct poptOption rows[] = {
		{"session-dir", 0, POPT_ARG_STRING, &raw->session_dir, 0,
		 "read samples below this directory (default " OP_DEFAULT_SESSION_DIR ")", "DIR"},
		{"image-path", 'p', POPT_ARG_STRING, &raw->image_path, 0,
		 "search binaries in these directories too", "DIR[,DIR]"},
		{"root", 'R', POPT_ARG_STRING, &raw->root, 0,
		 "search binaries and debug files below this directory", "DIR"},
		{"last", 0, POPT_ARG_STRING, &raw->last, 0,
		 "use the samples of this time up to now, such as 1h", "TIME"},
		{"since", 0, POPT_ARG_STRING, &raw->since, 0,
		 "use samples from this time on, as \"mon 03:00\"", "TIME"},
		{"until", 0, POPT_ARG_STRING, &raw->until, 0, "use samples before this time", "TIME"},
		{"at", 0, POPT_ARG_STRING, &raw->at, 0, "use the interval around this time", "TIME"},
	};

	memcpy(table, rows, sizeof(rows));
	return sizeof(rows) / sizeof(rows[0]);
}

/* Fill @table with the options that all tools have, and with the options in the bit set @has. */
static void make_table(struct poptOption *table, struct raw *raw, unsigned int has)
{
	const struct {
		unsigned int needs;
		struct poptOption option;
	} rows[] = {
		{PP_OPT_MERGE,
		 {"merge", 'm', POPT_ARG_STRING, &raw->merge, 0,
		  "add up samples that were recorded separately: " MERGE_WORDS, "WHAT[,WHAT]"}},
		{PP_OPT_IDLE,
		 {"idle", 0, POPT_ARG_NONE, &raw->idle, 0,
		  "include threads that wait for work (event OFFCPU)", NULL}},
		{PP_OPT_IDLE,
		 {"wall", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &raw->wall, 0,
		  "report computing and waiting (threads), or clock time of programs",
		  WALL_THREADS "|" WALL_LATENCY}},
		{PP_OPT_EXCLUDE_DEPENDENT,
		 {"exclude-dependent", 'x', POPT_ARG_NONE, &raw->exclude_dependent, 0,
		  "exclude samples in libraries and the kernel", NULL}},
		{PP_OPT_SYMBOLS,
		 {"include-symbols", 'i', POPT_ARG_STRING, &raw->include, 0,
		  "report only these symbols", "GLOB[,GLOB]"}},
		{PP_OPT_SYMBOLS,
		 {"exclude-symbols", 'e', POPT_ARG_STRING, &raw->exclude, 0,
		  "do not report these symbols", "GLOB[,GLOB]"}},
		{PP_OPT_THRESHOLD,
		 {"threshold", 't', POPT_ARG_STRING, &raw->threshold, 0,
		  "omit rows below this percentage", "PERCENT"}},
		{PP_OPT_DEMANGLE,
		 {"demangle", 'D', POPT_ARG_STRING, &raw->demangle, 0,
		  "choose how C++ and Rust names are printed", "none|normal|smart"}},
		{PP_OPT_MERGE,
		 {"anon-ranges", 0, POPT_ARG_NONE, &raw->anon_ranges, 0,
		  "list memory without a file by process and range", NULL}},
		{0,
		 {"force", 0, POPT_ARG_NONE, &raw->force, 0,
		  "use a binary even if it is not the profiled one", NULL}},
		{0,
		 {"debuginfod", 0, POPT_ARG_NONE, &raw->debuginfod, 0,
		  "download debug files and binaries from $DEBUGINFOD_URLS", NULL}},
		{0,
		 {"no-cache", 0, POPT_ARG_NONE, &raw->no_cache, 0,
		  "do not use or write the cache of symbols", NULL}},
		{0,
		 {"verbose", 'V', POPT_ARG_NONE, &raw->verbose, 0,
		  "print the files that are read, and all counters", NULL}},
		{0, {"version", 'v', POPT_ARG_NONE, &raw->version, 0, "print the version", NULL}},
	};
	size_t nr = make_data_table(table, raw);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!rows[i].needs || (has & rows[i].needs))
			table[nr++] = rows[i].option;
	table[nr] = (struct poptOption)POPT_TABLEEND;
}

/* Refuse options inside braces. They look like options of one side of a differential profile, but
 * would apply to the whole report. */
static int refuse_in_braces(int argc, const char **argv, struct op_reason *error)
{
	bool inside = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "{") || !strcmp(argv[i], "}"))
			inside = argv[i][0] == '{';
		else if (inside && !strncmp(argv[i], "--session-dir", strlen("--session-dir")))
			return op_fail(
				error, -EINVAL,
				"--session-dir applies to both sides of { } { }: to compare "
				"two directories, write { session-dir:DIR } { session-dir:DIR }");
		else if (inside && argv[i][0] == '-' && argv[i][1])
			return op_fail(
				error, -EINVAL,
				"options apply to both sides of { } { }: write %s before the "
				"braces",
				argv[i]);
	}
	return 0;
}

/* Print which option popt did not accept, and why (@err). Return -EINVAL. */
static int report_bad_option(poptContext popt, int err, const struct poptOption *table,
			     const char *tool, struct op_reason *error)
{
	const char *bad = poptBadOption(popt, POPT_BADOPTION_NOALIAS), *suggestion = "";
	char meant[MAX_MEANT];

	if (err == POPT_ERROR_BADOPT)
		suggestion = op_options_suggest(table, bad, meant, sizeof(meant));
	return op_fail(error, -EINVAL, "%s: %s%s; see %s --help", bad, poptStrerror(err), suggestion,
		       tool);
}

int pp_common_parse(struct pp_common *ret, const struct pp_tool *tool, int argc, const char **argv,
		    struct pp_log *log)
{
	struct raw raw = { 0 };
	struct pp_common common = { 0 };
	struct poptOption shared[MAX_OPTIONS];
	const struct poptOption none[] = { POPT_TABLEEND };
	const struct poptOption table[] = {
		{NULL, 0, POPT_ARG_INCLUDE_TABLE,
		 (void *)(tool->own ? tool->own : none), 0, NULL, NULL},
		{NULL, 0, POPT_ARG_INCLUDE_TABLE, shared, 0, "Selection of samples, and places of files:",
		 NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	int nr_words;
	const char **words = plain_words(argc, argv, &nr_words);
	poptContext popt;
	int err, wrong;

	/* If another user truncates a mapped sample file during the report, survive the SIGBUS. */
	odb_survive_lost_pages();
	/* Fill the table before popt_GetContext() and later calls read it. */
	make_table(shared, &raw, tool->options);
	popt = words ? poptGetContext(tool->name, nr_words, words, table, 0) : NULL;
	if (!popt || op_options_abbreviate(popt, table, NULL)) {
		poptFreeContext(popt);
		free(words);
		return -ENOMEM;
	}
	poptSetOtherOptionHelp(popt, "[OPTION...] [NAME | TAG:VALUE[,VALUE]...]...");
	while ((err = poptGetNextOpt(popt)) > 0)
		;
	wrong = refuse_in_braces(argc, argv, &log->error);
	if (!wrong)
		wrong = op_options_once(table, words, false, &log->error);
	if (wrong) {
		err = wrong;
	} else if (err < -1) {
		err = report_bad_option(popt, err, table, tool->name, &log->error);
	} else if (raw.version) {
		printf("%s: %s\n", tool->name, PACKAGE_STRING);
		err = PP_OPTIONS_DONE;
	} else {
		err = convert(&common, &raw, tool, poptGetArgs(popt), log);
	}
	if (!err) {
		common.command = quote_command(argc, argv);
		err = common.command ? 0 : -ENOMEM;
	}
	if (err) {
		pp_common_release(&common);
	} else {
		log->verbose = common.verbose;
		*ret = common;
	}
	poptFreeContext(popt);
	free(words);
	raw_release(&raw);
	return err;
}

int pp_refuse(const struct pp_refusal *refusals, size_t nr, const char *tool,
	      const struct pp_common *common, struct pp_log *log)
{
	const char *selection = common->selection ? common->selection : "";

	for (size_t i = 0; i < nr; i++)
		if (refusals[i].applies)
			return op_fail(&log->error, -EINVAL, "%s; run %s %s%s", refusals[i].why,
				       tool, refusals[i].instead, selection);
	return 0;
}

void pp_common_release(struct pp_common *common)
{
	free(common->session_dir);
	free(common->image_path);
	free(common->root);
	free(common->command);
	free(common->selection);
	pp_values_release(&common->include_symbols);
	pp_values_release(&common->exclude_symbols);
	pp_spec_release(&common->spec);
	pp_spec_release(&common->second);
	*common = (struct pp_common){ 0 };
}
