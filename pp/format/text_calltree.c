// SPDX-License-Identifier: GPL-2.0-or-later
/* text_calltree.c -- call paths, printed from the program or from the sampled functions. */
#include "config.h"
#include "pp/format/text_calltree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/left_out.h"
#include "pp/format/path_names.h"
#include "pp/format/path_shares.h"
#include "pp/format/path_why.h"
#include "pp/format/percent.h"
#include "pp/format/text_cells.h"
#include "pp/base/block.h"
#include "pp/profile/short_titles.h"

struct calltree {
	const struct pp_report *report;
	struct pp_path_names names;
	struct pp_block *blocks;	/* own the sums by caller */
	struct pp_left_out left;	/* branches that do not reach the threshold */
};

/* Write a number in a column of at least eight characters. Return its end. */
static char *put_cell(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	for (to += len; len < 8; len++)
		*to++ = ' ';
	*to++ = ' ';
	return to;
}

/* Write the count and the percentage in one step, because there are millions. */
static void put_counts(const struct calltree *t, const uint64_t *counts, size_t class)
{
	uint64_t n = counts ? counts[class] : 0;
	char number[PP_TEXT_NUMBER], percent[PP_PERCENT_SIZE],
		cells[sizeof(number) + sizeof(percent) + 18], *end;
	int len = pp_percent(percent, n, t->report->profile->totals[class]),
	    blanks = (int)strspn(percent, " ");

	end = put_cell(cells, number, pp_text_digits(number, n));
	end = put_cell(end, percent + blanks, len - blanks);
	fwrite_unlocked(cells, 1, end - cells, t->report->out);
}

/* Print " (file:line)" of the call. */
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

/* Print a line. @self: NULL without such a column. */
static void put_line(const struct calltree *t, const uint64_t *total, const uint64_t *self,
		     bool has_self, unsigned int indent, const struct pp_path_node *node)
{
	const struct pp_path_text *name = &t->names.texts[node->place];
	FILE *out = t->report->out;

	for (size_t c = 0; c < t->report->profile->nr_classes; c++) {
		put_counts(t, total, c);
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

/* Print the heads of the columns. Return 0 or -ENOMEM. */
static int put_heads(const struct calltree *t, bool has_self)
{
	const struct pp_profile *profile = t->report->profile;
	FILE *out = t->report->out;

	if (!t->report->options->show_header)
		return 0;
	if (profile->paths) {
		pp_path_shares_put(out, t->report, "\n", put_clean);
		putc('\n', out);
		if (pp_path_why_largest(t->report))
			return -ENOMEM;
	}
	for (size_t c = 0; profile->nr_classes > 1 && c < profile->nr_classes; c++) {
		char *title = pp_text_class_title(t->report->session, c);
		int width = has_self ? 36 : 18;

		fprintf(out, "%-*.*s", width, width - 1, title ? title : "?");
		free(title);
	}
	if (profile->nr_classes > 1)
		putc('\n', out);
	for (size_t c = 0; c < profile->nr_classes; c++)
		fprintf(out, "%-7s  %%        %s",
			pp_class_unit(&t->report->session->classes.items[c]),
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
		if (!pp_is_shown(t->report, node->total)) {
			pp_left_out_add(&t->left, t->report, node->total);
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

/* A path, followed from its end: the current node, and the counts at its end. */
struct item {
	uint32_t at;
	const uint64_t *counts;
};

/* The items at one place whose inner nodes are equal. */
struct caller {
	const struct calltree *tree;
	uint64_t *counts, sum;
	size_t first, nr;		/* range of its items */
	uint32_t at;			/* one of their nodes */
};

static int compare_items(const void *a, const void *b, void *arg)
{
	const struct pp_paths *paths = arg;
	uint32_t x = paths->nodes[((const struct item *)a)->at].place,
		 y = paths->nodes[((const struct item *)b)->at].place;

	return x < y ? -1 : x > y;
}

static int compare_callers(const void *a, const void *b)
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

/* Sort the items by place, and make a caller for each place. Return 0 or -ENOMEM. */
static int find_callers(struct caller **ret, size_t *ret_nr, struct calltree *t, struct item *items,
			size_t nr)
{
	const struct pp_paths *paths = t->names.paths;
	size_t classes = t->report->profile->nr_classes, nr_callers = 0;
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
			*caller = (struct caller){ .tree = t, .counts = pp_block_alloc(&t->blocks, classes), .first = i,
						   .at = items[i].at };
			if (!caller->counts) {
				free(callers);
				return -ENOMEM;
			}
		}
		caller->nr++;
		for (size_t c = 0; c < classes; c++) {
			caller->counts[c] += items[i].counts[c];
			caller->sum += items[i].counts[c];
		}
	}
	qsort(callers, nr_callers, sizeof(*callers), compare_callers);
	*ret = callers;
	*ret_nr = nr_callers;
	return 0;
}

/* Print the places of @items, and their callers below each. The recursion is as deep as the
 * paths. */
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
			pp_left_out_add(&t->left, t->report, callers[i].counts);
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
		    pp_has_counts(paths->nodes[i].self, t->report->profile->nr_classes))
			items[nr++] = (struct item){ i, paths->nodes[i].self };
	if (!err)
		err = put_callers(t, items, nr, 0);
	free(items);
	return err;
}

int pp_text_calltree(const struct pp_report *report)
{
	struct calltree t = { .report = report };
	int err = pp_path_names_make(&t.names, report);

	if (err)
		return err;
	err = report->options->calltree == PP_CALLTREE_CALLERS ? put_from_ends(&t)
							       : put_callees(&t);
	if (!err)
		pp_left_out_put(&t.left, report, "branch", "branches");
	pp_path_names_release(&t.names);
	pp_block_free(t.blocks);
	return err;
}
