// SPDX-License-Identifier: GPL-2.0-or-later
/* brief.c -- a report of at most 4096 bytes: accounting, the functions with most samples, missing
 * names, and commands that show more. brief_diff.c writes the largest changes of a difference. */
#include "config.h"
#include "pp/format/brief.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/event/spec.h"
#include "pp/format/brief_text.h"
#include "pp/format/facts.h"
#include "pp/format/text.h"
#include "pp/join/diff.h"

#define MAX_SIZE	4096u	/* maximum size of the report in bytes */
/* maximum size of the report about a difference, in bytes; smaller, because opcontrol --why adds
 * its own lines */
#define MAX_DIFF_SIZE	3840u

/* Limits of the attempts to write the report. If the report is too large, try the next element. */
static const struct pp_brief_limits attempts[] = {
	/* maximum lengths of a line, a name, a frame, a command; maximum numbers of losses, facts,
	 * paths */
	{ 200, 100, 40, 400, 10, 12, 10 },
	{ 150, 72, 32, 400, 8, 10, 10 },
	{ 140, 64, 24, 400, 7, 9, 10 },
	{ 130, 56, 20, 400, 6, 8, 10 },
	{ 120, 48, 20, 400, 5, 7, 7 },
	{ 120, 48, 20, 400, 5, 6, 5 },
	{ 110, 40, 16, 300, 5, 6, 3 },
	{ 100, 32, 16, 200, 5, 5, 1 },
	{ 80, 24, 12, 120, 4, 4, 0 },
};

static bool is_same_event(const struct pp_class *a, const struct pp_class *b)
{
	return !strcmp(a->event, b->event) && a->count == b->count && a->um == b->um;
}

/* Choose the first event that has samples. Columns of counts (classes) are sorted by event, so the
 * columns of one event are adjacent. */
static void choose_event(struct pp_brief *b)
{
	const struct pp_classes *classes = &b->report->session->classes;
	const uint64_t *totals = b->report->profile->totals;

	while (b->first + 1 < classes->nr && !totals[b->first])
		b->first++;
	while (b->first && is_same_event(&classes->items[b->first - 1], &classes->items[b->first]))
		b->first--;
	for (b->end = b->first; b->end < classes->nr; b->end++)
		if (!is_same_event(&classes->items[b->first], &classes->items[b->end]))
			break;
	b->total = pp_brief_sum(b, totals);
	b->unit = pp_class_unit(&classes->items[b->first]);
}

static int compare_functions(const void *a, const void *b)
{
	const struct pp_brief_function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int list_functions(struct pp_brief *b)
{
	const struct pp_profile *profile = b->report->profile;

	b->functions = calloc(profile->nr_entries + 1, sizeof(*b->functions));
	if (!b->functions)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		uint64_t samples = pp_brief_sum(b, profile->entries[i].counts);

		if (samples)
			b->functions[b->nr_functions++] = (struct pp_brief_function){
				.entry = &profile->entries[i], .samples = samples };
	}
	qsort(b->functions, b->nr_functions, sizeof(*b->functions), compare_functions);
	return 0;
}

/* Print the header: CPU, events, time and directory of the session. Omit the accounting and the
 * binaries of a text report's header. */
static int put_facts(const struct pp_brief *b)
{
	struct pp_session session = *b->report->session;
	struct pp_format_options options = *b->report->options;
	struct pp_report copy = *b->report;
	char *text;

	/* omit the share of complete call paths here: put_path_words() prints it */
	options.is_of_heap = false;
	copy.options = &options;
	session.has_stats = false;
	session.beside = (struct op_session_stats){ 0 };
	copy.session = &session;
	copy.images = NULL;
	text = pp_facts_text(&copy);
	if (!text)
		return -ENOMEM;
	pp_brief_lines(b->out, text, "  ", b->limits->nr_facts, b->limits->line);
	free(text);
	return 0;
}

/* Print the CPU time that the samples stand for and, if the sampled time is known, the average
 * number of busy CPUs. */
static void put_cpu_time(const struct pp_brief *b, uint64_t period_ns)
{
	const struct pp_session *session = b->report->session;
	double used = (double)b->total * (double)period_ns / 1e9, sampled = 0;

	fputs(", about ", b->out);
	pp_brief_put_seconds(b->out, used);
	fputs(" of CPU time", b->out);
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		if (session->about[i].sampled_ms <= 0)
			return;
		sampled += (double)session->about[i].sampled_ms / 1000;
	}
	fputs(" in ", b->out);
	pp_brief_put_seconds(b->out, sampled);
	fprintf(b->out, ", %.2g CPUs on average", used / sampled);
}

/* Print the number of samples in this report, and the names of events that the report omits. */
static void put_totals(const struct pp_brief *b)
{
	const struct pp_session *session = b->report->session;
	const struct pp_class *classes = session->classes.items, *class = &classes[b->first];
	char buf[PP_BRIEF_NAME_MAX];

	fprintf(b->out, "  In this report: %" PRIu64 " %.*s of %s", b->total,
		(int)(strlen(b->unit) - (b->total == 1)), b->unit,
		pp_brief_clip(buf, class->event, b->limits->name));
	if (!strcmp(class->event, OP_EVENT_TIMER) && !session->nr_profiles)
		put_cpu_time(b, class->count);
	putc('\n', b->out);
	pp_brief_put_others(b);
}

static void put_programs(const struct pp_brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE];
	uint64_t shown = UINT64_MAX;
	size_t last = 0;

	fputs("PROGRAMS\n ", b->out);
	/* Find the program with the next lower number of samples. Programs with equal numbers stay
	 * in their order. */
	for (size_t nr = 0; nr < PP_BRIEF_PROGRAMS; nr++) {
		uint64_t most = 0;
		size_t found = 0;

		for (size_t i = 0; i < profile->nr_apps; i++) {
			uint64_t samples = pp_brief_sum(b, profile->apps[i].counts);

			if (samples > most &&
			    (samples < shown || (samples == shown && i > last))) {
				most = samples;
				found = i;
			}
		}
		if (!most)
			break;
		fprintf(b->out, "%s %s of %s", nr ? "," : "",
			pp_brief_share(share, most, b->total),
			pp_brief_clip(buf, pp_text_title(b->report, profile->apps[found].app),
				      b->limits->name));
		shown = most;
		last = found;
	}
	if (profile->nr_apps > PP_BRIEF_PROGRAMS)
		fprintf(b->out, ", and %zu more", profile->nr_apps - PP_BRIEF_PROGRAMS);
	putc('\n', b->out);
}

static void put_function(const struct pp_brief *b, size_t i)
{
	const struct pp_brief_function *function = &b->functions[i];
	char share[PP_BRIEF_SHARE];

	fprintf(b->out, "%2zu. %" PRIu64 " %s ", i + 1, function->samples,
		pp_brief_share(share, function->samples, b->total));
	pp_brief_put_name(b, function->entry);
	putc('\n', b->out);
}

static void put_functions(const struct pp_brief *b)
{
	char share[PP_BRIEF_SHARE];
	uint64_t rest = 0;
	size_t i;

	fprintf(b->out, "FUNCTIONS: %s, share of the %s, function (binary in program)\n", b->unit,
		b->unit);
	pp_brief_put_path_words(b);
	for (i = 0; i < b->nr_functions && i < PP_BRIEF_FUNCTIONS; i++) {
		put_function(b, i);
		if (i < b->limits->nr_paths)
			pp_brief_put_path(b, &b->functions[i]);
	}
	for (; i < b->nr_functions; i++)
		rest += b->functions[i].samples;
	if (b->nr_functions > PP_BRIEF_FUNCTIONS)
		fprintf(b->out, "    %" PRIu64 " %s in %zu more %s\n", rest,
			pp_brief_share(share, rest, b->total), b->nr_functions - PP_BRIEF_FUNCTIONS,
			op_plural(b->nr_functions - PP_BRIEF_FUNCTIONS, "function", "functions"));
}

static int put_all(const struct pp_brief *b)
{
	int err;

	fputs("ACCOUNTING\n", b->out);
	put_totals(b);
	err = pp_brief_put_losses(b, b->report->session);
	if (!err)
		err = put_facts(b);
	if (err)
		return err;
	put_programs(b);
	pp_brief_put_kernel(b);
	pp_brief_put_main_path(b);
	put_functions(b);
	err = pp_brief_put_nameless(b);
	if (!err)
		pp_brief_put_next(b);
	return err;
}

/* Write the report within the limits of one attempt. Store the text, malloc'd, in *@ret, and its
 * length in *@size. Return 0 or -ENOMEM. */
static int attempt(char **ret, size_t *size, struct pp_brief *b,
		   const struct pp_brief_limits *limits)
{
	int err;

	b->limits = limits;
	b->out = open_memstream(ret, size);
	if (!b->out)
		return -ENOMEM;
	err = b->is_diff ? pp_brief_diff_put(b) : put_all(b);
	if (fclose(b->out) && !err)
		err = -ENOMEM;
	if (err) {
		free(*ret);
		*ret = NULL;
	}
	return err;
}

static int write_attempts(struct pp_brief *b)
{
	static const char cut[] = "(cut: the limit is 4 KB)\n";
	const size_t limit = b->is_diff ? MAX_DIFF_SIZE : MAX_SIZE;
	char *text = NULL;
	size_t size = limit + 1;
	int err = 0;

	for (size_t i = 0; size > limit && i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		free(text);
		text = NULL;
		err = attempt(&text, &size, b, &attempts[i]);
		if (err)
			return err;
	}
	if (size > limit) {
		size = limit - strlen(cut);
		while (size && text[size - 1] != '\n')
			size--;
		fwrite(text, 1, size, b->report->out);
		fputs(cut, b->report->out);
	} else {
		fwrite(text, 1, size, b->report->out);
	}
	free(text);
	return 0;
}

static int write_brief(const struct pp_report *report)
{
	struct pp_brief b = {
		.report = report, .has_paths = report->profile->paths != NULL,
		.is_diff = report->before != NULL,
	};
	int err;

	choose_event(&b);
	err = b.is_diff ? pp_brief_diff_list(&b) : list_functions(&b);
	if (!err)
		err = pp_path_names_make(&b.names, report);
	if (!err && b.has_paths)
		err = pp_brief_find_paths(&b);
	if (!err)
		err = write_attempts(&b);
	pp_path_names_release(&b.names);
	free(b.functions);
	return err;
}

const struct pp_format_ops pp_format_brief = {
	.name = "brief",
	.what = "accounting, ten functions and next commands in 4 KB",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF,
	.write = write_brief,
};
