// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_callgraph.c -- a block for each function, with its callers above and its callees below.
 * Shares of callers are of all calls of the function; shares of callees are of its own samples and
 * those of all its callees.
 */
#include "config.h"
#include "pp/format/text_callgraph.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "pp/format/left_out.h"
#include "pp/format/text_columns.h"
#include "pp/profile/arcs.h"

#define RULE "-------------------------------------------------------------------------------\n"

struct relative {
	struct pp_end end;
	const uint64_t *counts;
	int is_self;
	size_t nr_classes;
};

struct graph {
	const struct pp_report *report;
	struct pp_text_table table;
	struct relative *relatives;	/* callers or callees of the current function */
	size_t max;
	struct pp_left_out left;	/* functions that do not reach the threshold */
};

static int by_count(const struct relative *x, const struct relative *y)
{
	for (size_t i = 0; i < x->nr_classes; i++)
		if (x->counts[i] != y->counts[i])
			return x->counts[i] < y->counts[i] ? -1 : 1;
	return 0;
}

static int by_place(const struct relative *x, const struct relative *y)
{
	if (x->end.group != y->end.group)
		return x->end.group < y->end.group ? -1 : 1;
	if (x->end.code != y->end.code)
		return x->end.code < y->end.code ? -1 : 1;
	return y->is_self - x->is_self;
}

/* Order callers so that the most frequent is next to the function. */
static int compare_callers(const void *a, const void *b)
{
	int d = by_count(a, b);

	return d ? d : by_place(b, a);
}

static int compare_callees(const void *a, const void *b)
{
	int d = by_count(b, a);

	return d ? d : by_place(a, b);
}

static int reserve(struct graph *g, size_t nr)
{
	struct relative *relatives;

	if (nr <= g->max)
		return 0;
	relatives = reallocarray(g->relatives, nr, sizeof(*relatives));
	if (!relatives)
		return -ENOMEM;
	g->relatives = relatives;
	g->max = nr;
	return 0;
}

static void print_relatives(const struct graph *g, size_t nr)
{
	const struct pp_report *report = g->report;
	uint64_t totals[PP_MAX_CLASSES] = { 0 };

	for (size_t i = 0; i < nr; i++)
		for (size_t class = 0; class < report->profile->nr_classes; class++)
			totals[class] += g->relatives[i].counts[class];
	for (size_t i = 0; i < nr; i++) {
		const struct relative *r = &g->relatives[i];
		struct pp_text_line line = pp_text_line_of(&g->table, report, r->end, r->counts);

		if (!report->options->global_percent)
			line.totals = totals;
		line.sums = r->counts;
		line.suffix = r->is_self ? " [self]" : NULL;
		line.indent = 2;
		pp_text_line(&g->table, &line);
	}
}

static int print_callers(struct graph *g, struct pp_end end)
{
	const struct pp_profile *profile = g->report->profile;
	size_t first, nr = pp_arcs_to(profile, end, &first);

	if (reserve(g, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct pp_arc *arc = &profile->arcs[profile->arcs_by_callee[first + i]];

		g->relatives[i] =
			(struct relative){ arc->caller, arc->counts, 0, profile->nr_classes };
	}
	if (nr)
		qsort(g->relatives, nr, sizeof(*g->relatives), compare_callers);
	print_relatives(g, nr);
	return 0;
}

static bool has_samples(const struct pp_profile *profile, const uint64_t *counts)
{
	for (size_t class = 0; class < profile->nr_classes; class++)
		if (counts[class])
			return true;
	return false;
}

static int print_callees(struct graph *g, struct pp_end end, const struct pp_entry *entry)
{
	const struct pp_profile *profile = g->report->profile;
	size_t first, nr = pp_arcs_from(profile, end, &first);

	if (reserve(g, nr + 1))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct pp_arc *arc = &profile->arcs[first + i];

		g->relatives[i] =
			(struct relative){ arc->callee, arc->counts, 0, profile->nr_classes };
	}
	if (has_samples(profile, entry->counts))
		g->relatives[nr++] =
			(struct relative){ end, entry->counts, 1, profile->nr_classes };
	if (nr)
		qsort(g->relatives, nr, sizeof(*g->relatives), compare_callees);
	print_relatives(g, nr);
	return 0;
}

/* Return whether the function's calls, or its samples with its callees' samples, reach the
 * threshold. */
static bool is_shown(const struct graph *g, struct pp_end end, const struct pp_entry *entry)
{
	const struct pp_profile *profile = g->report->profile;
	uint64_t below[PP_MAX_CLASSES] = { 0 }, calls[PP_MAX_CLASSES] = { 0 };
	size_t from, nr_from = pp_arcs_from(profile, end, &from);
	size_t to, nr_to = pp_arcs_to(profile, end, &to);

	for (size_t class = 0; class < profile->nr_classes; class++) {
		below[class] = entry->counts[class];
		for (size_t i = from; i < from + nr_from; i++)
			below[class] += profile->arcs[i].counts[class];
		for (size_t i = to; i < to + nr_to; i++)
			calls[class] += profile->arcs[profile->arcs_by_callee[i]].counts[class];
	}
	return pp_is_shown(g->report, below) || pp_is_shown(g->report, calls);
}

int pp_text_callgraph(const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	struct graph g = { .report = report, .table = pp_text_table(report) };
	uint64_t sums[PP_MAX_CLASSES] = { 0 };
	int err = 0;

	if (report->options->show_header)
		pp_text_heads(&g.table, report);
	for (size_t i = 0; i < profile->nr_entries && !err; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_end end = { entry->group, entry->code };
		struct pp_text_line line = pp_text_line_of(&g.table, report, end, entry->counts);

		for (size_t class = 0; class < profile->nr_classes; class++)
			sums[class] += entry->counts[class];
		if (!is_shown(&g, end, entry)) {
			pp_left_out_add(&g.left, report, entry->counts);
			continue;
		}
		line.sums = sums;
		fputs(RULE, report->out);
		err = print_callers(&g, end);
		pp_text_line(&g.table, &line);
		if (!err)
			err = print_callees(&g, end, entry);
	}
	if (!err) {
		fputs(RULE, report->out);
		pp_left_out_put(&g.left, report, "function", "functions");
	}
	free(g.relatives);
	return err;
}
