// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c -- parsing of opreport's options. */
#include "config.h"
#include "pp/tool/options.h"

#include <errno.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/nearest.h"
#include "pp/join/certainty.h"
#include "pp/source/source.h"

/* Values of options as popt stores them. This file frees the strings. */
struct raw {
	char *output_file, *sort, *format, *calltree, *timeline, *significant;
	int symbols, inclusive, details, callgraph, debug_info;
	int long_filenames, no_header, show_address, accumulated, global_percent, reverse_sort;
	int depth, fold_recursion, by_source;
	int xml, html, no_pager, equal_totals, whole_names;
	int leaks, peak, why_short, wakers;
	char **fail_if;
};

static void raw_release(struct raw *raw)
{
	free(raw->output_file);
	free(raw->sort);
	free(raw->format);
	free(raw->calltree);
	free(raw->timeline);
	free(raw->significant);
	for (size_t i = 0; raw->fail_if && raw->fail_if[i]; i++)
		free(raw->fail_if[i]);
	free(raw->fail_if);
}

#define SORT_WORDS "sample, image, app-name, symbol, debug, vma, inclusive, subsystem"

static int parse_sort(struct pp_order *ret, const char *text, struct pp_log *log)
{
	char meant[200];
	const char *bad;

	if (!pp_order_parse(ret, text, &bad))
		return 0;
	return op_fail(&log->error, -EINVAL, "--sort=%.*s: not one of " SORT_WORDS "%s",
		       (int)strcspn(bad, ","), bad,
		       op_list_suggest(SORT_WORDS, bad, strcspn(bad, ","), meant, sizeof(meant)));
}

static bool sorts_by(const char *sort, const char *key)
{
	size_t n = strlen(key);

	for (; sort; sort = strchr(sort, ',') ? strchr(sort, ',') + 1 : NULL)
		if (!strncmp(sort, key, n) && (sort[n] == ',' || !sort[n]))
			return true;
	return false;
}

/* Remove each word @key from the list of sort keys *@sort. If the list becomes empty, set *@sort to
 * NULL. Return whether the list contained @key. *@sort may be NULL. */
static bool parse_key(char **sort, const char *key)
{
	char *to = *sort;

	if (!sorts_by(*sort, key))
		return false;

	for (const char *word = *sort, *end; *word; word = end) {
		size_t len = strcspn(word, ",");

		end = word + len + (word[len] == ',');
		if (len == strlen(key) && !strncmp(word, key, len))
			continue;
		if (to > *sort)
			*to++ = ',';
		memmove(to, word, len);
		to += len;
	}
	*to = '\0';
	if (!**sort) {
		free(*sort);
		*sort = NULL;
	}
	return true;
}

/* Write the names of all output formats to @buf, such as "text, xml, json". */
static void list_formats(char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; pp_formats[i] && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%s", i ? ", " : "", pp_formats[i]->name);
}

/* A combination of options that is refused. The message suggests a command: the user's selection of
 * samples with the options .instead. */
struct refusal {
	bool applies;
	const char *why, *instead;
};

/* suggestion for options that need a differential profile: compare the previous session with the
 * current one */
#define PREVIOUS_AND_CURRENT	" { session:previous } { session:current }"
#define DIFF(options)		options PREVIOUS_AND_CURRENT

/* Return whether the user chose one of several profiles: a saved session, a profile or an archive,
 * for example, or a time. */
static bool has_chosen_profile(const struct pp_spec *spec)
{
	return spec->tags[PP_TAG_ARCHIVE].nr || spec->tags[PP_TAG_SESSION].nr ||
	       spec->tags[PP_TAG_SESSION_EXCLUDE].nr || spec->tags[PP_TAG_TIME].nr ||
	       spec->tags[PP_TAG_PROFILE].nr || spec->tags[PP_TAG_SAMPLE_FILE].nr;
}

/* If one of @refusals applies, return -EINVAL with its message in the log. Otherwise return 0. */
static int refuse(const struct refusal *refusals, size_t nr, const struct pp_options *o,
		  struct pp_log *log)
{
	const char *selection = o->common.selection ? o->common.selection : "";

	for (size_t i = 0; i < nr; i++) {
		const struct refusal *r = &refusals[i];
		const char *sides = strstr(r->instead, PREVIOUS_AND_CURRENT);

		if (!r->applies)
			continue;
		/* sessions cannot be added to the user's choice of a profile: suggest to compare
		 * that profile */
		if (sides && has_chosen_profile(&o->common.spec))
			return op_fail(&log->error, -EINVAL,
				       "%s; run opreport %.*s%.*s { BEFORE } {%s }, where BEFORE "
				       "names the profile to compare with", r->why,
				       (int)(sides - r->instead), r->instead,
				       *selection ? (int)o->common.nr_option_bytes : 0, selection,
				       *selection ? selection + o->common.nr_option_bytes : "");
		return op_fail(&log->error, -EINVAL, "%s; run opreport %s%s", r->why, r->instead,
			       selection);
	}
	return 0;
}

static int find_format(const struct pp_format_ops **ret, const struct raw *raw,
		       const struct pp_options *o, struct pp_log *log)
{
	const struct refusal several = { true, "--xml, --html and --format select different formats",
					 raw->html ? "--html" : "--xml" };
	const char *name = raw->format ? raw->format :
			   raw->xml    ? "xml" :
			   raw->html   ? "html" :
					 "text";
	char all[256], meant[200];

	if ((raw->xml && raw->html) || (raw->format && raw->xml && strcmp(raw->format, "xml")) ||
	    (raw->format && raw->html && strcmp(raw->format, "html")))
		return refuse(&several, 1, o, log);
	*ret = pp_format_find(name);
	if (*ret)
		return 0;
	list_formats(all, sizeof(all));
	return op_fail(&log->error, -EINVAL, "--format=%s: not one of %s%s", name, all,
		       op_list_suggest(all, name, strlen(name), meant, sizeof(meant)));
}

/* Check the options about call paths for contradictions. Return 0, or -EINVAL with the cause in the
 * log. */
static int check_paths(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct pp_common *c = &o->common;
	int text = o->ops == &pp_format_text;
	const struct refusal refusals[] = {
		{f->calltree && f->callgraph,
		 "--calltree and --callgraph are two ways to show calls: choose one", "--calltree"},
		{f->calltree && f->details, "--calltree is incompatible with --details",
		 "--calltree"},
		{f->calltree && f->accumulated, "--calltree is incompatible with --accumulated",
		 "--calltree"},
		{raw->significant && f->calltree && (!text || f->calltree == PP_CALLTREE_CALLERS),
		 "--significant is incompatible with --calltree=callers and with --calltree in "
		 "json; use --calltree=callees in text to omit branches, or --symbols to omit "
		 "lines",
		 c->is_diff ? "--calltree --significant" : DIFF("--calltree --significant")},
		{raw->significant && !(o->ops->flags & (PP_FORMAT_HIDES | PP_FORMAT_PRUNES)),
		 "--significant is incompatible with pprof and callgrind, whose programs add up "
		 "the samples; use flamegraph, folded, speedscope, firefox, text, json, csv, xml "
		 "or html",
		 c->is_diff ?
			 "--format=folded --significant" : DIFF("--format=folded --significant")},
		{f->calltree && !text && o->ops != &pp_format_json,
		 "--calltree is only for text and json; other formats with call paths always "
		 "have them", "--calltree"},
		{f->depth && !f->calltree, "--depth is meaningless without --calltree",
		 "--calltree --depth=4"},
		{raw->depth < 0, "--depth must be at least 1", "--calltree --depth=1"},
		{f->callgraph && f->details, "--callgraph is incompatible with --details",
		 c->is_diff ? "--calltree" : "--callgraph"},
		{f->why_short && (f->calltree || f->callgraph || f->details || f->inclusive ||
				  c->is_diff || !text),
		 "--why-short prints a separate list in text: it is incompatible with other views, "
		 "other formats and differential profiles",
		 c->is_diff ? "--calltree" : "--why-short"},
		{f->inclusive && (f->calltree || f->callgraph),
		 "--inclusive (or --sort=inclusive) is incompatible with --callgraph "
		 "and --calltree, which show totals anyway",
		 f->calltree || c->is_diff ? "--calltree" : "--callgraph"},
		{f->inclusive && c->is_diff,
		 "differential profiles are incompatible with --inclusive; --calltree=callees shows "
		 "changes of functions with their callees", "--calltree"},
		{f->inclusive && !(o->ops->flags & PP_FORMAT_TOTALS),
		 "--inclusive (or --sort=inclusive) is only for text, csv, json and html: other "
		 "formats cannot store totals, or consist of call paths", "--inclusive"},
		{f->inclusive && o->ops == &pp_format_html &&
			 (c->include_symbols.nr || c->exclude_symbols.nr),
		 "--inclusive is incompatible with --include-symbols and --exclude-symbols in "
		 "html, which also shows call paths", "--inclusive"},
	};

	return refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

/* Check that the other options are possible with --timeline. Return 0, or -EINVAL with the cause in
 * the log. */
static int check_timeline(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct pp_common *c = &o->common;
	const struct pp_values *tags = c->spec.tags;
	const struct refusal refusals[] = {
		{raw->symbols || f->inclusive || f->details || f->callgraph || f->calltree ||
			 f->why_short || f->debug_info || f->accumulated || f->show_address ||
			 f->is_of_heap || raw->by_source || raw->sort || f->by_subsystem ||
			 c->threshold_given || c->merge || c->exclude_dependent || f->some_symbols,
		 "--timeline is a view of its own: it is incompatible with other views and their "
		 "options; --timeline=symbol shows symbols",
		 c->is_diff || c->threshold_given || c->merge || c->exclude_dependent ||
			 f->some_symbols ? "--symbols" : "--timeline=symbol"},
		{c->is_diff, "differential profiles are incompatible with --timeline", "--symbols"},
		{o->ops != &pp_format_text && o->ops != &pp_format_json && o->ops != &pp_format_csv,
		 "--timeline is only for text, csv and json", "--timeline"},
		{tags[PP_TAG_SESSION].nr || tags[PP_TAG_SESSION_EXCLUDE].nr ||
			 tags[PP_TAG_PROFILE].nr || tags[PP_TAG_SAMPLE_FILE].nr,
		 "--timeline reads the intervals of a session directory (--session-dir) or of an "
		 "archive: it is incompatible with saved sessions, profiles and sample files",
		 "--symbols"},
	};

	return !o->timeline ? 0 :
			      refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

/* Check that the other options are possible with --sort=subsystem. Return 0, or -EINVAL with the
 * cause in the log. */
static int check_subsystem(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct refusal refusals[] = {
		{raw->symbols || f->details || f->callgraph || f->calltree || f->inclusive ||
			 f->why_short || f->debug_info || f->show_address,
		 "--sort=subsystem shows subsystems of the kernel in place of symbols: it is "
		 "incompatible with options that show symbols, lines or calls", "--sort=subsystem"},
		{o->ops != &pp_format_text && o->ops != &pp_format_csv && o->ops != &pp_format_json,
		 "--sort=subsystem is only for text, csv and json", "--sort=subsystem"},
	};

	return !o->format.by_subsystem ? 0 :
				  refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

/* Return whether one of the conditions of --fail-if is about the total. */
static bool tests_total(const struct pp_options *o)
{
	for (size_t i = 0; i < o->nr_fail_if; i++)
		if (o->fail_if[i].kind == PP_FAIL_TOTAL)
			return true;
	return false;
}

/* Check that the other options are possible with --format=brief. Return 0, or -EINVAL with the
 * cause in the log. */
static int check_brief(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct refusal refusals[] = {
		{raw->significant,
		 "--significant is meaningless with --format=brief, which always adds up the "
		 "changes that may be chance", "--format=brief"},
		{f->details || f->callgraph || f->debug_info || f->show_address ||
			 f->global_percent || raw->by_source || raw->sort || raw->reverse_sort ||
			 raw->no_header,
		 "--format=brief always shows the accounting and the functions with most samples: "
		 "it is incompatible with --sort, --reverse-sort, --details, --callgraph, "
		 "--debug-info, --show-address, --global-percent, --by-source and --no-header; "
		 "--format=text has these options", "--format=brief"},
	};

	return o->ops != &pp_format_brief ?
		       0 :
		       refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

/* Check that the other options are possible with --wakers. Return 0, or -EINVAL with the cause in
 * the log. */
static int check_wakers(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct refusal refusal = {
		f->callgraph || f->inclusive || f->why_short || f->is_of_heap ||
			o->ops == &pp_format_callgrind || o->ops == &pp_format_brief,
		"samples of wakers have no call paths: --wakers is incompatible with --callgraph, "
		"--inclusive, --why-short, callgrind and brief; --calltree and the formats with "
		"trees show the programs that each waker woke", "--wakers --calltree"};

	return raw->wakers ? refuse(&refusal, 1, o, log) : 0;
}

/* Check the options of reports that refuse most options. Return 0, or -EINVAL with the cause in the
 * log. */
static int check_views(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	int err = check_timeline(o, raw, log);

	if (!err)
		err = check_wakers(o, raw, log);
	if (!err)
		err = check_subsystem(o, raw, log);
	return err ? err : check_brief(o, raw, log);
}

/* Check that the options are possible in a differential profile. Return 0, or -EINVAL with the
 * cause in the log. */
static int check_diff(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct pp_common *c = &o->common;
	const struct refusal refusals[] = {
		{c->is_diff && f->callgraph,
		 "differential profiles are incompatible with --callgraph; --calltree shows how "
		 "callers and callees changed", "--calltree"},
		{c->is_diff && f->details,
		 "differential profiles are incompatible with --details, because addresses differ "
		 "between builds; --symbols shows functions", "--symbols"},
		{raw->by_source && c->is_diff,
		 "differential profiles are incompatible with --by-source: they have two columns, "
		 "before and after", "--symbols"},
		{raw->by_source && o->ops == &pp_format_xml,
		 "--by-source is impossible with xml, whose schema does not have sources",
		 "--by-source"},
		{c->is_diff && f->accumulated,
		 "differential profiles are incompatible with --accumulated; --format=csv has "
		 "counts that a program can add up", "--symbols --format=csv"},
		{raw->equal_totals && !c->is_diff,
		 "--equal-totals is meaningless without a differential profile, { } { }",
		 DIFF("--symbols --equal-totals")},
		{raw->fail_if && !c->is_diff,
		 "--fail-if is meaningless without a differential profile, { } { }",
		 DIFF("--fail-if='symbol:* > 5%'")},
		{raw->significant && !c->is_diff,
		 "--significant is meaningless without a differential profile, { } { }",
		 DIFF("--symbols --significant")},
		{c->is_diff && !(o->ops->flags & PP_FORMAT_DIFF),
		 "differential profiles are incompatible with --format=afdo, llvm-sample and bolt, "
		 "which are for compilers: give one side without braces; all other formats show "
		 "both sides", "--symbols"},
	};

	return refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

static int check(const struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	const struct pp_format_options *f = &o->format;
	const struct pp_common *c = &o->common;
	int text = o->ops == &pp_format_text;
	const struct refusal refusals[] = {
		{raw->equal_totals && tests_total(o),
		 "--fail-if=total is meaningless with --equal-totals, which makes both totals "
		 "equal",
		 o->common.is_diff ? "--symbols --equal-totals" : DIFF("--symbols --equal-totals")},
		{f->debug_info && !f->symbols, "--debug-info is meaningless without --symbols",
		 "--symbols --debug-info"},
		{f->accumulated && !text, "--accumulated is incompatible with --xml and all other "
					  "formats but text", c->is_diff ? "--symbols --format=csv" : "--symbols --accumulated"},
		{f->accumulated && !f->symbols, "--accumulated is meaningless without --symbols",
		 c->is_diff ? "--symbols --format=csv" : "--symbols --accumulated"},
		{f->show_address && !f->symbols, "--show-address is meaningless without --symbols",
		 "--symbols --show-address"},
		{sorts_by(raw->sort, "vma") && !f->symbols,
		 "--sort=vma is meaningless without --symbols", "--symbols --sort=vma"},
		{sorts_by(raw->sort, "debug") && !f->debug_info,
		 "--sort=debug is meaningless without --debug-info",
		 "--symbols --debug-info --sort=debug"},
		{c->include_symbols.nr && !f->symbols,
		 "--include-symbols is meaningless without --symbols", "--symbols"},
		{c->exclude_symbols.nr && !f->symbols,
		 "--exclude-symbols (-e) is meaningless without --symbols; choose an event with "
		 "event:NAME", "--symbols"},
		{f->global_percent && f->symbols && !f->details && !f->callgraph,
		 "--global-percent is meaningless with --symbols and without --details or "
		 "--callgraph: these percentages are always of all samples", "--symbols"},
	};

	int err = check_views(o, raw, log);

	if (!err)
		err = check_paths(o, raw, log);
	if (!err)
		err = check_diff(o, raw, log);
	return err ? err : refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), o, log);
}

static int check_all(struct pp_options *o, const struct raw *raw, struct pp_log *log)
{
	int err = check(o, raw, log);

	return err ? err : pp_database_check(&o->database, &o->common, &o->format, o->ops, log);
}

/* If a text report is printed on a terminal, shorten names to the width of the terminal. Other
 * output has whole names, because programs may read it. */
static void suit_terminal(struct pp_options *o, int whole_names)
{
	struct winsize size;

	if (!o->common.demangle_given)
		o->common.demangle = PP_DEMANGLE_SMART;
	if (!whole_names && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		o->format.columns = size.ws_col;
}

/* default of --threshold for call trees, in percent; small, because most functions of a real
 * program have a small share */
#define TREE_THRESHOLD	.5

bool pp_options_show_tree(const struct pp_options *o)
{
	return o->ops == &pp_format_text && (o->format.calltree || o->format.callgraph);
}

#define CALLTREE_WORDS "callees, callers"

/* Apply --leaks and --peak: select the event that they report and, unless the user requested
 * another report, --calltree. Return 0 or -ENOMEM. */
static int choose_heap(struct pp_options *o, const struct raw *raw)
{
	const char *const events[] = {raw->leaks ? PP_SOURCE_NOT_FREED : NULL,
				      raw->peak ? PP_SOURCE_AT_PEAK : NULL};
	bool has_view = raw->why_short || raw->format || raw->xml || raw->html || raw->symbols ||
			raw->inclusive || sorts_by(raw->sort, "inclusive") || raw->details ||
			raw->callgraph || raw->calltree;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (!events[i])
			continue;
		if (pp_values_add(&o->common.spec.tags[PP_TAG_EVENT], events[i],
				  strlen(events[i])) ||
		    (o->common.is_diff && pp_values_add(&o->common.second.tags[PP_TAG_EVENT],
							events[i], strlen(events[i]))))
			return -ENOMEM;
		if (!has_view)
			o->format.calltree = PP_CALLTREE_CALLEES;
	}
	return 0;
}

static int parse_calltree(enum pp_calltree *ret, const char *text, struct pp_log *log)
{
	char meant[200];

	if (!text)
		*ret = PP_CALLTREE_NONE;
	else if (!strcmp(text, "callees"))
		*ret = PP_CALLTREE_CALLEES;
	else if (!strcmp(text, "callers"))
		*ret = PP_CALLTREE_CALLERS;
	else
		return op_fail(
			&log->error, -EINVAL, "--calltree=%s: not one of " CALLTREE_WORDS "%s", text,
			op_list_suggest(CALLTREE_WORDS, text, strlen(text), meant, sizeof(meant)));
	return 0;
}

#define TIMELINE_WORDS "image, symbol"

static int parse_timeline(enum pp_timeline_by *ret, const char *text, struct pp_log *log)
{
	char meant[200];

	if (!text)
		*ret = PP_TIMELINE_NONE;
	else if (!strcmp(text, "image"))
		*ret = PP_TIMELINE_IMAGES;
	else if (!strcmp(text, "symbol"))
		*ret = PP_TIMELINE_SYMBOLS;
	else
		return op_fail(
			&log->error, -EINVAL, "--timeline=%s: not one of " TIMELINE_WORDS "%s", text,
			op_list_suggest(TIMELINE_WORDS, text, strlen(text), meant, sizeof(meant)));
	return 0;
}

#define CERTAINTY "99"	/* default of --significant: PP_CERTAINTY as the argument of an option */

/* Parse the argument of --significant, a probability in percent. */
static int parse_certainty(double *ret, const char *text, struct pp_log *log)
{
	char *end;

	*ret = PP_CERTAINTY;
	if (!text)
		return 0;
	*ret = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(*ret >= 50 && *ret <= 99.9999))
		return op_fail(&log->error, -EINVAL,
			       "--significant=%s: must be a percentage from 50 to 99.9999, such as 99",
			       text);
	return 0;
}

/* Parse the arguments of --fail-if. If a condition is about symbols, enable symbols in the
 * report. */
static int parse_conditions(struct pp_options *o, struct raw *raw, struct pp_log *log)
{
	for (size_t i = 0; raw->fail_if && raw->fail_if[i]; i++) {
		int err = op_grow(&o->fail_if, o->nr_fail_if);

		if (!err)
			err = pp_fail_if_parse(&o->fail_if[o->nr_fail_if], raw->fail_if[i], log);
		if (err)
			return err;
		raw->symbols |= o->fail_if[o->nr_fail_if].kind == PP_FAIL_SYMBOL &&
				!o->format.by_subsystem;
		o->nr_fail_if++;
	}
	return 0;
}

static int parse_views(struct pp_options *o, struct raw *raw, double *certainty,
		       struct pp_log *log)
{
	int err = parse_calltree(&o->format.calltree, raw->calltree, log);

	o->wakers = raw->wakers;
	raw->symbols |= raw->wakers || o->database.worst;
	if (!err)
		err = parse_timeline(&o->timeline, raw->timeline, log);
	if (!err)
		err = parse_certainty(certainty, raw->significant, log);
	return err ? err : parse_conditions(o, raw, log);
}

static int convert(struct pp_options *o, struct raw *raw, struct pp_log *log)
{
	bool is_inclusive = raw->inclusive || sorts_by(raw->sort, "inclusive");
	double certainty;
	int err = find_format(&o->ops, raw, o, log);

	o->format.by_subsystem = parse_key(&raw->sort, "subsystem");
	if (!err)
		err = parse_sort(&o->order, is_inclusive && !raw->sort ? "inclusive" : raw->sort,
				 log);
	if (err)
		return err;
	err = parse_views(o, raw, &certainty, log);
	if (!err)
		err = choose_heap(o, raw);
	if (err)
		return err;
	o->fold_recursion = raw->fold_recursion;
	o->by_source = raw->by_source;
	o->order.reverse = raw->reverse_sort;
	o->order.long_filenames = raw->long_filenames;
	o->by_change = o->common.is_diff && !raw->sort;
	o->equal_totals = raw->equal_totals;
	o->no_pager = raw->no_pager;
	o->format = (struct pp_format_options){
		.symbols = raw->symbols || is_inclusive || raw->why_short || raw->details ||
			   raw->callgraph || o->format.calltree || o->format.by_subsystem ||
			   (o->ops->needs & PP_NEED_SYMBOLS),
		.inclusive = is_inclusive,
		.why_short = raw->why_short,
		.details = raw->details,
		.callgraph = raw->callgraph,
		.calltree = o->format.calltree, .by_subsystem = o->format.by_subsystem,
		.is_of_heap = raw->leaks || raw->peak,
		.some_symbols = o->common.include_symbols.nr || o->common.exclude_symbols.nr,
		.depth = raw->depth,
		.threshold = o->common.threshold,
		.certainty = certainty,
		.significant = raw->significant,
		.debug_info = raw->debug_info,
		.long_filenames = raw->long_filenames,
		.show_header = !raw->no_header,
		.show_address = raw->show_address,
		.accumulated = raw->accumulated,
		.global_percent = raw->global_percent,
		.verbose = o->common.verbose,
	};
	err = check_all(o, raw, log);
	if (err)
		return err;
	if (pp_options_show_tree(o) && !o->common.threshold_given)
		o->format.threshold = TREE_THRESHOLD;
	o->output_file = raw->output_file;
	raw->output_file = NULL;
	if (o->ops == &pp_format_text && !o->output_file && isatty(STDOUT_FILENO))
		suit_terminal(o, raw->whole_names);
	if (o->ops == &pp_format_html && !o->common.demangle_given)
		o->common.demangle = PP_DEMANGLE_SMART;
	return 0;
}

/* Append the default argument to each option that may lack its argument: --calltree=callees,
 * --timeline=image, --significant=99. popt would parse the next word as the argument. */
static const char **whole_words(int argc, const char **argv)
{
	const char **words = calloc(argc + 1, sizeof(*words));

	for (int i = 0; words && i < argc; i++)
		words[i] = !strcmp(argv[i], "--calltree") ? "--calltree=callees" :
			   !strcmp(argv[i], "--timeline") ? "--timeline=image" :
			   !strcmp(argv[i], "--significant") ? "--significant=" CERTAINTY :
							    argv[i];
	return words;
}

/* Make the parts of the table of options that are computed. */
static void prepare(char *formats, size_t size, struct poptOption *rows,
		    struct pp_database *database)
{
	list_formats(formats, size);
	pp_database_table(rows, database);
}

#define FLAG(name, letter, member, help)	{name, letter, POPT_ARG_NONE, &raw.member, 0, help, NULL}

static int parse(struct pp_options *ret, int argc, const char **argv, struct pp_log *log)
{
	struct raw raw = { 0 };
	struct pp_options options = { 0 };
	char formats[256];
	struct poptOption database[PP_DATABASE_ROWS];
	const struct poptOption own[] = {
		FLAG("symbols", 'l', symbols, "list symbols instead of images"),
		FLAG("inclusive", 0, inclusive, "list symbols with the samples of their callees"),
		FLAG("details", 'd', details, "list the addresses of each symbol too"),
		FLAG("callgraph", 'c', callgraph, "list callers and callees of each symbol"),
		{"calltree", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &raw.calltree, 0,
		 "show call paths: the callees, or the callers, of each function",
		 "callees|callers"},
		{"timeline", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &raw.timeline, 0,
		 "show the busiest images, or symbols, of each interval",
		 "image|symbol"},
		FLAG("leaks", 0, leaks, "show call paths by memory that was not freed (opprobe -e malloc)"),
		FLAG("peak", 0, peak, "show call paths by memory when the heap was largest"),
		FLAG("wakers", 0, wakers, "list the code that ended the waits of OFFCPU"),
		FLAG("why-short", 0, why_short, "list the reasons for incomplete call paths, and remedies"),
		{"depth", 0, POPT_ARG_INT, &raw.depth, 0,
		 "limit --calltree to this number of levels", "LEVELS"},
		FLAG("fold-recursion", 0, fold_recursion, "merge recursive calls in call paths"),
		FLAG("debug-info", 'g', debug_info, "show source files and lines"),
		FLAG("by-source", 0, by_source, "show a column for each session or file"),
		{"sort", 's', POPT_ARG_STRING, &raw.sort, 0, "sort by these keys, in this order: " SORT_WORDS, "KEY[,KEY]"},
		FLAG("reverse-sort", 'r', reverse_sort, "reverse the order of lines"), FLAG("long-filenames", 'f', long_filenames, "print full paths"),
		FLAG("whole-names", 0, whole_names, "do not shorten long names on a terminal"),
		FLAG("show-address", 'w', show_address, "print the addresses of symbols"),
		FLAG("accumulated", 'a', accumulated, "print running sums of the counts"),
		FLAG("global-percent", '%', global_percent, "print percentages of all samples, not of the program or symbol"),
		FLAG("equal-totals", 0, equal_totals, "scale the first of two profiles to the total of the second"),
		{"fail-if", 0, POPT_ARG_ARGV, &raw.fail_if, 0, "exit with 1 if a change exceeds a limit with certainty", "'symbol:* > 5%'"},
		{"significant", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &raw.significant, 0, "leave out changes that may be chance", "99"},
		FLAG("no-header", 'n', no_header, "do not print the header"),
		{"format", 0, POPT_ARG_STRING, &raw.format, 0, formats, "FORMAT"},
		FLAG("xml", 'X', xml, "the same as --format=xml"), FLAG("html", 0, html, "the same as --format=html"),
		{"output-file", 'o', POPT_ARG_STRING, &raw.output_file, 0,
		 "write to this file, not to the terminal", "FILE"},
		FLAG("no-pager", 0, no_pager, "do not start $OPROFILE_PAGER or $PAGER for long reports"),
		{NULL, 0, POPT_ARG_INCLUDE_TABLE, database, 0, "Databases of many hosts:", NULL}, POPT_TABLEEND};
	const struct pp_tool tool = {
		"opreport",
		PP_OPT_MERGE | PP_OPT_EXCLUDE_DEPENDENT | PP_OPT_SYMBOLS | PP_OPT_THRESHOLD |
			PP_OPT_DEMANGLE | PP_OPT_DIFF | PP_OPT_IDLE,
		own,
	};
	int err;

	prepare(formats, sizeof(formats), database, &options.database);
	err = pp_common_parse(&options.common, &tool, argc, argv, log);
	err = err ? err : convert(&options, &raw, log);
	if (err)
		pp_options_release(&options);
	else
		*ret = options;
	raw_release(&raw);
	return err;
}

int pp_options_parse(struct pp_options *ret, int argc, const char **argv, struct pp_log *log)
{
	const char **words = whole_words(argc, argv);
	int err = words ? parse(ret, argc, words, log) : -ENOMEM;

	free(words);
	return err;
}

void pp_options_release(struct pp_options *options)
{
	pp_database_release(&options->database);
	pp_common_release(&options->common);
	for (size_t i = 0; i < options->nr_fail_if; i++)
		pp_fail_if_release(&options->fail_if[i]);
	free(options->fail_if);
	free(options->output_file);
	*options = (struct pp_options){ 0 };
}
