// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_diff.c -- the brief report of a difference: the largest changes, with confidence
 * intervals. */
#include "config.h"
#include "pp/format/brief.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/base/time_words.h"
#include "pp/format/brief_text.h"
#include "pp/format/text.h"
#include "pp/join/certainty.h"
#include "pp/session/range.h"

#define MAX_BUILDS	3	/* maximum number of binaries listed because their build changed */
/* limits of confidence intervals above this percentage are not printed */
#define MAX_CHANGE	1e6

/* Sum the counts of the chosen event in each section of a difference (pp/join/diff.h). Return an
 * array that the caller frees. */
static uint64_t *sections_of(const struct pp_brief *b, const uint64_t *counts)
{
	const struct pp_profile *diff = b->report->profile;
	size_t nr = diff->nr_counts / diff->nr_classes;
	uint64_t *sums = calloc(nr + 1, sizeof(*sums));

	for (size_t i = 0; sums && i < nr; i++)
		sums[i] = pp_brief_sum(b, counts + i * diff->nr_classes);
	return sums;
}

/* Set *@ret to the confidence interval of the change of @counts. Return 1, or 0 if no interval
 * exists, or -ENOMEM. */
static int find_change(struct pp_interval *ret, const struct pp_brief *b, const uint64_t *counts)
{
	uint64_t *sums = sections_of(b, counts);
	int has;

	if (!sums)
		return -ENOMEM;
	has = pp_change_interval(ret, b->report->profile->diff, sums, 1, 0, b->first,
				 b->report->options->certainty);
	free(sums);
	return has;
}

/* Set *@ret to whether the change of @counts is larger than chance explains. Return 0 or
 * -ENOMEM. */
static int find_significant(bool *ret, const struct pp_brief *b, const uint64_t *counts)
{
	struct pp_interval change;
	int has = find_change(&change, b, counts);

	if (has < 0)
		return has;
	*ret = has ? change.low > 0 || change.high < 0 :
		     pp_brief_sum(b, counts) != pp_brief_before(b, counts);
	return 0;
}

/* Sort significant changes before other changes, then large changes before small changes. */
static int compare_functions(const void *a, const void *b)
{
	const struct pp_brief_function *x = a, *y = b;
	uint64_t of_x = pp_brief_change(x->samples, x->before),
		 of_y = pp_brief_change(y->samples, y->before);

	if (x->is_significant != y->is_significant)
		return x->is_significant ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

int pp_brief_diff_list(struct pp_brief *b)
{
	const struct pp_profile *diff = b->report->profile;

	b->functions = calloc(diff->nr_entries + 1, sizeof(*b->functions));
	if (!b->functions)
		return -ENOMEM;
	for (size_t i = 0; i < diff->nr_entries; i++) {
		struct pp_brief_function *f = &b->functions[b->nr_functions];

		*f = (struct pp_brief_function){
			.entry = &diff->entries[i],
			.samples = pp_brief_sum(b, diff->entries[i].counts),
			.before = pp_brief_before(b, diff->entries[i].counts),
		};
		if (!f->samples && !f->before)
			continue;
		if (find_significant(&f->is_significant, b, diff->entries[i].counts))
			return -ENOMEM;
		b->nr_functions++;
	}
	qsort(b->functions, b->nr_functions, sizeof(*b->functions), compare_functions);
	return 0;
}

/* Print the count and its change as "1200, before 100: +1000 to +1200 %". Return 0 or -ENOMEM. */
static int put_change(const struct pp_brief *b, const uint64_t *counts)
{
	uint64_t after = pp_brief_sum(b, counts), before = pp_brief_before(b, counts);
	struct pp_interval change;
	int has = find_change(&change, b, counts);

	if (has < 0)
		return has;
	fprintf(b->out, "%" PRIu64 ", before %" PRIu64, after, before);
	if (!before)
		fputs(": new", b->out);
	else if (has && change.high > MAX_CHANGE)
		fprintf(b->out, ": %+.0f %% or more", change.low);
	else if (has)
		fprintf(b->out, ": %+.0f to %+.0f %%", change.low, change.high);
	return 0;
}

/* Comparison of the totals of both profiles. */

/* Print the sampled time of one of the two profiles, and facts from the profile's header. */
static void put_side(const struct pp_brief *b, const char *name, const struct pp_session *session,
		     uint64_t samples)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	const struct pp_range *range = session->range;
	uint64_t ms = 0;

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		ms += (uint64_t)session->about[i].sampled_ms;
	fprintf(b->out, "  %s: %" PRIu64 " %s", name, samples, b->unit);
	if (ms) {
		fputs(" in ", b->out);
		pp_brief_put_seconds(b->out, (double)ms / 1000);
	}
	if (range && range->nr_runs)
		fprintf(b->out, " of %zu periods", range->nr_runs);
	if (range && range->time.nr_parts) {
		int64_t end = range->time.parts[0].end;

		for (size_t i = 1; i < range->time.nr_parts; i++)
			end = range->time.parts[i].end > end ? range->time.parts[i].end : end;
		fprintf(b->out, ", from %s to %s", op_time_text(from, range->time.parts[0].begin),
			op_time_text(to, end));
	}
	putc('\n', b->out);
}

/* Explain how the counts of the first profile were scaled, and how to read the confidence
 * intervals. */
static void put_meaning(const struct pp_brief *b)
{
	const struct pp_before *before = b->report->before;
	const struct pp_diff_facts *facts = b->report->profile->diff;

	if (before->time_before)
		fprintf(b->out,
			"  Samples before are multiplied by %.4g, as if both times were equally "
			"long\n",
			(double)before->time_after / (double)before->time_before);
	else if (before->is_scaled)
		fputs("  Samples before are scaled to the total after\n", b->out);
	fprintf(b->out, "  The limits of a change have %g %% certainty",
		b->report->options->certainty);
	if (facts->nr_runs_before > 1 || facts->nr_runs_after > 1)
		fprintf(b->out, ", and follow from chance and from the variation of the %s",
			before->session->range || b->report->session->range ? "periods" : "runs");
	putc('\n', b->out);
}

static bool is_other_build(const struct pp_binary *x, const struct pp_binary *y)
{
	size_t nr = x->nr_builds < y->nr_builds ? x->nr_builds : y->nr_builds;

	for (size_t i = 0; i < nr; i++)
		if (x->builds[i] && y->builds[i] && x->builds[i] != y->builds[i])
			return true;
	return nr && x->nr_builds != y->nr_builds;
}

/* Print the binaries whose build differs between the two profiles. The binaries of both profiles
 * are sorted by title. */
static void put_builds(const struct pp_brief *b)
{
	const struct pp_profile *first = b->report->before->profile, *diff = b->report->profile;
	const struct pp_binary *after = diff->binaries + first->nr_binaries,
			       *end = diff->binaries + diff->nr_binaries;
	char buf[PP_BRIEF_NAME_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < first->nr_binaries; i++) {
		while (after < end && strcmp(after->title, first->binaries[i].title) < 0)
			after++;
		if (after == end || strcmp(after->title, first->binaries[i].title) ||
		    !is_other_build(&first->binaries[i], after))
			continue;
		if (nr < MAX_BUILDS)
			fprintf(b->out, "%s%s", nr ? ", " : "  Another build than before: ",
				pp_brief_clip(buf, pp_text_title(b->report, after->title),
					      b->limits->name));
		nr++;
	}
	if (nr > MAX_BUILDS)
		fprintf(b->out, " and %zu more", nr - MAX_BUILDS);
	if (nr)
		putc('\n', b->out);
}

static int put_compared(const struct pp_brief *b)
{
	const struct pp_report *report = b->report;
	const struct pp_classes *classes = &report->session->classes;
	char buf[PP_BRIEF_NAME_MAX];
	int err;

	fprintf(b->out, "COMPARED: %s of %s\n", b->unit,
		pp_brief_clip(buf, classes->items[b->first].event, b->limits->name));
	pp_brief_put_others(b);
	put_side(b, "before", report->before->session,
		 pp_brief_sum(b, report->profile->totals + 2 * report->profile->nr_classes));
	put_side(b, "after", report->session, b->total);
	put_meaning(b);
	fprintf(b->out, "  All %s: ", b->unit);
	err = put_change(b, report->profile->totals);
	putc('\n', b->out);
	put_builds(b);
	return err ? err : pp_brief_put_losses(b, report->session);
}

/* The programs with the largest changes, in descending order. */
struct largest {
	uint64_t change[PP_BRIEF_PROGRAMS];
	const struct pp_app *apps[PP_BRIEF_PROGRAMS];
};

static void add_app(struct largest *largest, const struct pp_app *app, uint64_t change)
{
	size_t at = PP_BRIEF_PROGRAMS;

	while (at && change > largest->change[at - 1])
		at--;
	for (size_t i = PP_BRIEF_PROGRAMS - 1; at < PP_BRIEF_PROGRAMS && i > at; i--) {
		largest->change[i] = largest->change[i - 1];
		largest->apps[i] = largest->apps[i - 1];
	}
	if (at < PP_BRIEF_PROGRAMS) {
		largest->change[at] = change;
		largest->apps[at] = app;
	}
}

static int put_programs(const struct pp_brief *b)
{
	const struct pp_profile *diff = b->report->profile;
	struct largest largest = { .apps = { NULL } };
	char buf[PP_BRIEF_NAME_MAX];
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < diff->nr_apps; i++) {
		const uint64_t *counts = diff->apps[i].counts;
		bool is_significant;

		err = find_significant(&is_significant, b, counts);
		if (err)
			return err;
		if (!is_significant)
			continue;
		nr++;
		add_app(&largest, &diff->apps[i],
			pp_brief_change(pp_brief_sum(b, counts), pp_brief_before(b, counts)));
	}
	fprintf(b->out, "PROGRAMS: %zu of %zu changed by more than chance\n", nr, diff->nr_apps);
	for (size_t i = 0; i < PP_BRIEF_PROGRAMS && largest.apps[i] && !err; i++) {
		fprintf(b->out, "  %s: ",
			pp_brief_clip(buf, pp_text_title(b->report, largest.apps[i]->app),
				      b->limits->name));
		err = put_change(b, largest.apps[i]->counts);
		putc('\n', b->out);
	}
	return err;
}

/* Print how many functions are in the range from @i up to, but not including, @end, their samples
 * in both profiles, and the text @what. Print nothing if the range is empty. */
static void put_rest(const struct pp_brief *b, size_t i, size_t end, const char *what)
{
	uint64_t after = 0, before = 0;
	size_t nr = end - i;

	if (i >= end)
		return;
	for (; i < end; i++) {
		after += b->functions[i].samples;
		before += b->functions[i].before;
	}
	fprintf(b->out, "    %" PRIu64 ", before %" PRIu64 ": %zu %s %s\n", after, before, nr,
		op_plural(nr, "function", "functions"), what);
}

static int put_functions(const struct pp_brief *b)
{
	size_t nr = 0, shown, i;
	int err = 0;

	while (nr < b->nr_functions && b->functions[nr].is_significant)
		nr++;
	fprintf(b->out,
		"FUNCTIONS: %zu of %zu changed by more than chance; in equal profiles, about %.2g "
		"would\n",
		nr, b->nr_functions,
		(double)b->nr_functions * (100 - b->report->options->certainty) / 100);
	pp_brief_put_path_words(b);
	shown = nr < PP_BRIEF_FUNCTIONS ? nr : PP_BRIEF_FUNCTIONS;
	for (i = 0; i < shown && !err; i++) {
		fprintf(b->out, "%2zu. ", i + 1);
		pp_brief_put_name(b, b->functions[i].entry);
		fputs(": ", b->out);
		err = put_change(b, b->functions[i].entry->counts);
		putc('\n', b->out);
		if (i < b->limits->nr_paths)
			pp_brief_put_path(b, &b->functions[i]);
	}
	put_rest(b, shown, nr, "more");
	put_rest(b, nr, b->nr_functions, "whose change may be chance");
	return err;
}

int pp_brief_diff_put(const struct pp_brief *b)
{
	int err = put_compared(b);

	if (!err)
		err = put_programs(b);
	if (!err)
		err = put_functions(b);
	if (!err)
		err = pp_brief_put_nameless(b);
	if (!err)
		pp_brief_put_next(b);
	return err;
}
