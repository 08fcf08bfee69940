// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_calls.c -- calls in text: a block for each function with its callers and callees; and call
 * paths as an indented list.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"
#include "pp/format/path_why.h"
#include "pp/format/percent.h"
#include "pp/format/text.h"
#include "pp/join/certainty.h"
#include "pp/profile/arcs.h"
#include "pp/profile/short_titles.h"
#include "pp/profile/sort.h"

/* Omission of call tree branches and functions below the threshold, and the line that reports the
 * omission. */

/* Number of omitted functions or branches, and their samples; all zeros if nothing is omitted. */
struct pp_left_out {
	size_t nr;
	uint64_t counts[PP_MAX_CLASSES];
};

/* Return whether the share of @counts reaches the report's threshold. */
static bool pp_is_shown(const struct pp_report *report, const uint64_t *counts)
{
	const struct pp_profile *profile = report->profile;
	double threshold = report->options->threshold;

	/* A session with only call-graph files has no samples, so shares cannot be computed: show
	 * all functions. */
	return threshold <= 0 || !pp_has_counts(profile->totals, profile->nr_classes) ||
	       pp_reaches(counts, profile->totals, pp_shown_counts(profile), threshold);
}

/* Count an omitted function or branch. @counts: its samples that no visible line includes, or
 * NULL. */
static void left_out_add(struct pp_left_out *left, const struct pp_report *report,
			 const uint64_t *counts)
{
	left->nr++;
	for (size_t c = 0; counts && c < report->profile->nr_classes; c++)
		left->counts[c] += counts[c];
}

/* Return the column of counts in which the omitted functions or branches have the largest share of
 * samples. */
static size_t find_largest(const struct pp_left_out *left, const struct pp_profile *profile)
{
	size_t largest = 0;
	double most = -1;

	for (size_t c = 0; c < profile->nr_classes; c++) {
		double share =
			profile->totals[c] ? (double)left->counts[c] / profile->totals[c] : 0;

		if (share > most) {
			most = share;
			largest = c;
		}
	}
	return largest;
}

/* Print "3 @parts below 0.5 % are not shown, 0.8 % of samples in all: -t 0 shows them", unless the
 * user requested a report without header. */
static void left_out_put(const struct pp_left_out *left, const struct pp_report *report,
			 const char *part, const char *parts)
{
	const struct pp_profile *profile = report->profile;
	size_t c = find_largest(left, profile);
	double share = profile->totals[c] ? 100.0 * left->counts[c] / profile->totals[c] : 0;

	if (!left->nr || !report->options->show_header)
		return;
	fprintf(report->out,
		"%zu %s below %g %% %s not shown, %s%.3g %% of %s in all: -t 0 shows %s\n",
		left->nr, op_plural(left->nr, part, parts), report->options->threshold,
		op_plural(left->nr, "is", "are"), profile->nr_classes > 1 ? "at most " : "", share,
		pp_class_unit(&report->session->classes.items[c]),
		op_plural(left->nr, "it", "them"));
}

/*
 * A block of lines for each function: its callers, the function, its callees. A caller's percentage
 * is its share of all calls of the function. A callee's percentage is its share of the inclusive
 * total of the function.
 */

#define RULE "-------------------------------------------------------------------------------\n"

struct relative {
	struct pp_end end;
	const uint64_t *counts;
	bool is_self;
	size_t nr_classes;
};

struct graph {
	const struct pp_report *report;
	struct pp_text_table table;
	/* callers or callees of the function whose block is being printed */
	struct relative *relatives;
	size_t max;
	/* number and samples of functions that are omitted because they are below the threshold */
	struct pp_left_out left;
};

static int by_count(const struct relative *x, const struct relative *y)
{
	for (size_t i = 0; i < x->nr_classes; i++)
		if (x->counts[i] != y->counts[i])
			return x->counts[i] < y->counts[i] ? -1 : 1;
	return 0;
}

/* Compare the places in two relatives by names and addresses. Do not compare indices first: they
 * depend on the order in which the sample files were read. */
static int by_place(const struct relative *x, const struct relative *y,
		    const struct pp_profile *profile)
{
	const struct pp_group *gx = &profile->groups[x->end.group];
	const struct pp_group *gy = &profile->groups[y->end.group];
	const struct pp_code *cx = &profile->codes[x->end.code], *cy = &profile->codes[y->end.code];
	int d = strcmp(gx->app, gy->app);

	if (!d)
		d = strcmp(gx->image, gy->image);
	if (!d)
		d = (cx->vma > cy->vma) - (cx->vma < cy->vma);
	if (!d)
		d = strcmp(cx->name, cy->name);
	if (!d && x->end.group != y->end.group)
		d = x->end.group < y->end.group ? -1 : 1;
	if (!d && x->end.code != y->end.code)
		d = x->end.code < y->end.code ? -1 : 1;
	return d ? d : y->is_self - x->is_self;
}

/* Sort callers by ascending counts, so that the most frequent caller is printed next to the
 * function. */
static int compare_callers(const void *a, const void *b, void *profile)
{
	int d = by_count(a, b);

	return d ? d : by_place(b, a, profile);
}

static int compare_callees(const void *a, const void *b, void *profile)
{
	int d = by_count(b, a);

	return d ? d : by_place(a, b, profile);
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
		qsort_r(g->relatives, nr, sizeof(*g->relatives), compare_callers,
			(void *)profile);
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
		qsort_r(g->relatives, nr, sizeof(*g->relatives), compare_callees,
			(void *)profile);
	print_relatives(g, nr);
	return 0;
}

/* Return whether the number of calls of the function, or its inclusive total, reaches the
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
			left_out_add(&g.left, report, entry->counts);
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
		left_out_put(&g.left, report, "function", "functions");
	}
	free(g.relatives);
	return err;
}

/* Call paths: a list of callees that begins with the programs, or a list of callers that begins
 * with the sampled functions. */

struct calltree {
	const struct pp_report *report;
	struct pp_path_names names;
	struct pp_block *blocks;	/* memory of the sums of callers */
	/* number and samples of branches that are omitted because they are below the threshold */
	struct pp_left_out left;
	/* With --significant: .significant[node] is whether the change of the node or of one of its
	 * descendants is significant. .hidden: sums of the counts of omitted branches. .nr_hidden:
	 * number of omitted branches. */
	bool *significant;
	uint64_t *hidden;
	size_t nr_hidden;
};

#define CHANGE_WIDTH	10

/* Write @text and blanks to @to, at least @width characters, and one more blank. Return the end of
 * the written text. */
static char *put_cell(char *to, const char *text, size_t len, size_t width)
{
	memcpy(to, text, len);
	for (to += len; len < width; len++)
		*to++ = ' ';
	*to++ = ' ';
	return to;
}

/* Write count and percentage of an event with a single fwrite(), because reports may have millions
 * of lines. */
static void put_counts(const struct calltree *t, const uint64_t *counts, size_t class)
{
	uint64_t n = counts && t->report->before ? pp_text_diff_counts(t->report, counts)[class] :
		     counts			 ? counts[class] : 0;
	char number[PP_TEXT_NUMBER], percent[PP_PERCENT_SIZE],
		cells[sizeof(number) + sizeof(percent) + 18], *end;
	int len = pp_percent(percent, n, t->report->profile->totals[class]),
	    blanks = (int)strspn(percent, " ");

	if (counts && t->report->before &&
	    pp_diff_change(t->report->profile, counts) == PP_DIFF_GONE) {
		strcpy(percent, "---");
		len = (int)strlen(percent);
		blanks = 0;
	}
	end = put_cell(cells, number, pp_text_digits(number, n), 8);
	end = put_cell(end, percent + blanks, len - blanks, 8);
	fwrite_unlocked(cells, 1, end - cells, t->report->out);
}

/* Write the change of an event's count, and its confidence interval. */
static void put_change(const struct calltree *t, const uint64_t *counts, size_t class)
{
	char text[3][PP_TEXT_CHANGE], cells[3 * (PP_TEXT_CHANGE + CHANGE_WIDTH + 1)], *end = cells;

	pp_text_change(text[0], t->report, counts, class);
	pp_text_interval(text[1], text[2], t->report, counts, class);
	for (int i = 0; i < 3; i++)
		end = put_cell(end, text[i], strlen(text[i]), CHANGE_WIDTH);
	fwrite_unlocked(cells, 1, end - cells, t->report->out);
}

/* Print the source position of the call as " (file:line)". */
static void put_call(const struct calltree *t, const struct pp_place *place)
{
	const char *file = place->file;
	FILE *out = t->report->out;

	if (!file)
		return;
	if (!t->report->options->long_filenames)
		file = pp_short_name(file);
	fputs(" (", out);
	op_put_clean(out, file, strlen(file));
	fprintf(out, ":%" PRIu32 ")", place->line);
}

/* Print a line of the list of call paths. @self: counts without callees, or NULL. @has_self: print
 * a column for @self. */
static void put_line(const struct calltree *t, const uint64_t *total, const uint64_t *self,
		     bool has_self, unsigned int indent, const struct pp_path_node *node)
{
	const struct pp_path_text *name = &t->names.texts[node->place];
	FILE *out = t->report->out;

	for (size_t c = 0; c < t->report->profile->nr_classes; c++) {
		put_counts(t, total, c);
		if (t->report->before)
			put_change(t, total, c);
		if (has_self)
			put_counts(t, self, c);
	}
	pp_text_pad(out, 2 * indent);
	op_put_clean(out, name->text, name->len);
	if (t->names.paths->places[node->place].kind == PP_PLACE_INLINED)
		fputs(" (inlined)", out);
	put_call(t, &t->names.paths->places[node->place]);
	putc_unlocked('\n', out);
}

static void put_clean(FILE *out, const char *text)
{
	op_put_clean(out, text, strlen(text));
}

/* Print the column heads. Return 0 or -ENOMEM. */
static int put_heads(const struct calltree *t, bool has_self)
{
	const struct pp_profile *profile = t->report->profile;
	FILE *out = t->report->out;

	if (!t->report->options->show_header)
		return 0;
	if (profile->paths && !t->report->session->files.wakers) {
		pp_path_shares_put(out, t->report, "\n", put_clean);
		putc('\n', out);
		if (pp_path_why_largest(t->report))
			return -ENOMEM;
	}
	for (size_t c = 0; profile->nr_classes > 1 && c < profile->nr_classes; c++) {
		char *title = pp_text_class_title(t->report->session, c);
		int width = (has_self ? 36 : 18) + (t->report->before ? 3 * (CHANGE_WIDTH + 1) : 0);

		fprintf(out, "%-*.*s", width, width - 1, title ? title : "?");
		free(title);
	}
	if (profile->nr_classes > 1)
		putc('\n', out);
	for (size_t c = 0; c < profile->nr_classes; c++)
		fprintf(out, "%-7s  %%        %s%s",
			pp_class_unit(&t->report->session->classes.items[c]),
			t->report->before ? "diff %     from %     to %       " : "",
			has_self ? "self     %        " : "");
	fputs(has_self ? "path\n" : "callers\n", out);
	return 0;
}

static int put_callees(struct calltree *t)
{
	const struct pp_paths *paths = t->names.paths;
	struct pp_path_walk *walk = malloc(sizeof(*walk));
	int err;

	if (!walk)
		return -ENOMEM;
	err = put_heads(t, true);
	pp_path_walk_begin(walk, paths);
	while (!err && pp_path_walk_next(walk)) {
		const struct pp_path_node *node = &paths->nodes[walk->nodes[walk->depth]];
		int depth = t->report->options->depth;

		if (!pp_has_counts(node->total, t->report->profile->nr_counts)) {
			pp_path_walk_skip(walk);
			continue;
		}
		if (t->hidden && !t->significant[walk->nodes[walk->depth]]) {
			t->nr_hidden++;
			for (size_t c = 0; c < t->report->profile->nr_counts; c++)
				t->hidden[c] += node->total[c];
			pp_path_walk_skip(walk);
			continue;
		}
		if (!pp_is_shown(t->report, node->total)) {
			left_out_add(&t->left, t->report, node->total);
			pp_path_walk_skip(walk);
			continue;
		}
		put_line(t, node->total, node->self, true, walk->depth - 1, node);
		if (depth && walk->depth > (size_t)depth)
			pp_path_walk_skip(walk);
	}
	free(walk);
	return err;
}

/* A call path that is followed from its end to its root: the current node, and the counts of the
 * path's last node. */
struct item {
	uint32_t at;
	const uint64_t *counts;
};

/* A function in the list of callers, and the items (call paths) whose current node is in this
 * function. These call paths are equal from their ends up to the current node. */
struct caller {
	const struct calltree *tree;
	uint64_t *counts, sum;
	size_t first, nr;		/* index of the first item, and number of items */
	/* node of the tree that is in this function: the current node of one of the items */
	uint32_t at;
};

static int compare_items(const void *a, const void *b, void *arg)
{
	const struct pp_paths *paths = arg;
	uint32_t x = paths->nodes[((const struct item *)a)->at].place,
		 y = paths->nodes[((const struct item *)b)->at].place;

	return op_compare_u64(x, y);
}

static int compare_outer(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;
	const struct pp_path_names *names = &x->tree->names;
	int d;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	d = strcmp(pp_path_name(names, names->paths->nodes[x->at].place),
		   pp_path_name(names, names->paths->nodes[y->at].place));
	return d ? d : x->first < y->first ? -1 : x->first > y->first;
}

/* Sort @items by the function of the current node, and create a struct caller for each function.
 * Return 0 or -ENOMEM. */
static int find_callers(struct caller **ret, size_t *ret_nr, struct calltree *t, struct item *items,
			size_t nr)
{
	const struct pp_paths *paths = t->names.paths;
	size_t classes = t->report->profile->nr_counts, nr_callers = 0;
	size_t shown = pp_shown_counts(t->report->profile);
	struct caller *callers, *caller = NULL;

	qsort_r(items, nr, sizeof(*items), compare_items, (void *)paths);
	for (size_t i = 0; i < nr; i++)
		nr_callers += !i || compare_items(&items[i], &items[i - 1], (void *)paths);
	callers = calloc(nr_callers + 1, sizeof(*callers));
	if (!callers)
		return -ENOMEM;
	nr_callers = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!i || compare_items(&items[i], &items[i - 1], (void *)paths)) {
			caller = &callers[nr_callers++];
			*caller = (struct caller){
				.tree = t,
				.counts = pp_block_alloc(&t->blocks, classes),
				.first = i,
				.at = items[i].at,
			};
			if (!caller->counts) {
				free(callers);
				return -ENOMEM;
			}
		}
		caller->nr++;
		for (size_t c = 0; c < classes; c++) {
			caller->counts[c] += items[i].counts[c];
			caller->sum += c < shown ? items[i].counts[c] : 0;
		}
	}
	qsort(callers, nr_callers, sizeof(*callers), compare_outer);
	*ret = callers;
	*ret_nr = nr_callers;
	return 0;
}

/* Print a line for each function of @items and, below it, lines for its callers. The recursion is
 * as deep as the paths. */
static int put_callers(struct calltree *t, struct item *items, size_t nr, unsigned int level)
{
	const struct pp_paths *paths = t->names.paths;
	struct caller *callers;
	size_t nr_callers;
	int err = find_callers(&callers, &nr_callers, t, items, nr);

	if (err)
		return err;
	for (size_t i = 0; i < nr_callers && !err; i++) {
		struct item *below = &items[callers[i].first];
		size_t nr_below = 0;

		if (!pp_is_shown(t->report, callers[i].counts)) {
			left_out_add(&t->left, t->report, callers[i].counts);
			continue;
		}
		put_line(t, callers[i].counts, NULL, false, level, &paths->nodes[callers[i].at]);
		if (t->report->options->depth && level >= (unsigned int)t->report->options->depth)
			continue;
		for (size_t k = 0; k < callers[i].nr; k++) {
			uint32_t above = paths->nodes[below[k].at].parent;

			if (above != PP_PATH_ROOT)
				below[nr_below++] = (struct item){ above, below[k].counts };
		}
		if (nr_below)
			err = put_callers(t, below, nr_below, level + 1);
	}
	free(callers);
	return err;
}

static int put_from_ends(struct calltree *t)
{
	const struct pp_paths *paths = t->names.paths;
	struct item *items = calloc(paths->nr_nodes + 1, sizeof(*items));
	size_t nr = 0;
	int err;

	if (!items)
		return -ENOMEM;
	err = put_heads(t, false);
	for (size_t i = 1; i < paths->nr_nodes; i++)
		if (paths->nodes[i].self &&
		    pp_has_counts(paths->nodes[i].self, pp_shown_counts(t->report->profile)))
			items[nr++] = (struct item){ i, paths->nodes[i].self };
	if (!err)
		err = put_callers(t, items, nr, 0);
	free(items);
	return err;
}

/* Find the nodes of the call tree that --significant shows. Return 0 or -ENOMEM. */
static int find_significant(struct calltree *t)
{
	const struct pp_paths *paths = t->names.paths;
	const struct pp_profile *diff = t->report->profile;

	t->significant = calloc(paths->nr_nodes + 1, sizeof(*t->significant));
	t->hidden = calloc(diff->nr_counts + 1, sizeof(*t->hidden));
	if (!t->significant || !t->hidden)
		return -ENOMEM;
	/* children have larger numbers than their parents, so a descending loop visits children
	 * first */
	for (size_t i = paths->nr_nodes; i-- > 1;) {
		if (!t->significant[i])
			t->significant[i] = pp_change_is_significant(
				diff, paths->nodes[i].total, t->report->options->certainty);
		if (t->significant[i])
			t->significant[paths->nodes[i].parent] = true;
	}
	return 0;
}

/* Print the sum of the call tree branches that --significant hides. */
static void put_hidden(const struct calltree *t)
{
	FILE *out = t->report->out;

	for (size_t c = 0; c < t->report->profile->nr_classes; c++) {
		put_counts(t, t->hidden, c);
		put_change(t, t->hidden, c);
		put_counts(t, NULL, c);
	}
	fprintf(out, PP_NOT_SIGNIFICANT "\n", t->nr_hidden,
		op_plural(t->nr_hidden, "branch", "branches"));
}

int pp_text_calltree(const struct pp_report *report)
{
	struct calltree t = { .report = report };
	int err = pp_path_names_make(&t.names, report);

	if (!err && report->options->significant)
		err = find_significant(&t);
	if (err)
		goto done;
	err = report->options->calltree == PP_CALLTREE_CALLERS ? put_from_ends(&t)
							       : put_callees(&t);
	if (!err)
		left_out_put(&t.left, report, "branch", "branches");
	if (!err && t.nr_hidden)
		put_hidden(&t);
done:
	pp_path_names_release(&t.names);
	pp_block_free(t.blocks);
	free(t.significant);
	free(t.hidden);
	return err;
}
