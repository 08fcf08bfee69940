// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c -- makes the lines of a view of a snapshot. */
#include "config.h"
#include "pp/top/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"

static const char *const by_names[] = {
	[PP_TOP_PROGRAMS] = "programs",
	[PP_TOP_SYMBOLS] = "symbols",
	[PP_TOP_PATHS] = "paths",
	[PP_TOP_FLAME] = "flame",
};

const char *pp_top_by_name(enum pp_top_by by)
{
	return by_names[by];
}

bool pp_top_by_parse(enum pp_top_by *ret, const char *name)
{
	for (int i = 0; i < PP_TOP_NR_BY; i++) {
		size_t len = strlen(by_names[i]);

		/* also accept the name of a view in the singular, such as "program" */
		if (!strcmp(name, by_names[i]) ||
		    (strlen(name) == len - 1 && !strncmp(name, by_names[i], len - 1))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

const char *pp_top_order_name(enum pp_top_order order)
{
	static const char *const names[] = {
		[PP_TOP_BY_COUNT] = "count",
		[PP_TOP_BY_NAME] = "name",
		[PP_TOP_BY_IMAGE] = "image",
	};

	return names[order];
}

void pp_top_view_release(struct pp_top_view *view)
{
	free(view->program);
	free(view->toggles.items);
	*view = (struct pp_top_view){ 0 };
}

int pp_top_view_toggle(struct pp_top_view *view, uint64_t path)
{
	struct pp_top_toggles *t = &view->toggles;

	for (size_t i = 0; i < t->nr; i++)
		if (t->items[i] == path) {
			t->items[i] = t->items[--t->nr];
			return 0;
		}
	if (op_grow(&t->items, t->nr))
		return -ENOMEM;
	t->items[t->nr++] = path;
	return 0;
}

static bool is_toggled(const struct pp_top_view *view, uint64_t path)
{
	for (size_t i = 0; i < view->toggles.nr; i++)
		if (view->toggles.items[i] == path)
			return true;
	return false;
}

static bool has_text(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct pp_top_row *x = a, *y = b;
	enum pp_top_order order = *(const enum pp_top_order *)arg;
	int d = 0;

	if (order == PP_TOP_BY_IMAGE)
		d = compare_text(x->image, y->image);
	if (!d && order != PP_TOP_BY_NAME && x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (!d)
		d = compare_text(x->name, y->name);
	if (!d)
		d = compare_text(x->image, y->image);
	return d ? d : x->count > y->count ? -1 : x->count < y->count;
}

/* Compare rows by name, so that equal names are adjacent after sorting. Equal names have the same
 * pointer, so compare the pointers. */
static int compare_same(const void *a, const void *b)
{
	const struct pp_top_row *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->image < y->image ? -1 : x->image > y->image;
}

static int add_row(struct pp_top_rows *rows, const struct pp_top_row *row)
{
	if (op_grow(&rows->items, rows->nr))
		return -ENOMEM;
	rows->items[rows->nr++] = *row;
	return 0;
}

static void join_same(struct pp_top_rows *rows)
{
	size_t kept = 0;

	if (rows->nr)
		qsort(rows->items, rows->nr, sizeof(*rows->items), compare_same);
	for (size_t i = 0; i < rows->nr; i++) {
		struct pp_top_row *row = &rows->items[i];

		if (kept && !compare_same(&rows->items[kept - 1], row))
			rows->items[kept - 1].count += row->count;
		else
			rows->items[kept++] = *row;
	}
	rows->nr = kept;
}

/* Make the rows of the view of programs or of the view of functions. */
static int make_flat(struct pp_top_rows *rows, const struct pp_top_snapshot *snapshot,
		     const struct pp_top_view *view)
{
	bool programs = view->by == PP_TOP_PROGRAMS;
	enum pp_top_order order = view->order;
	int err = 0;

	for (size_t i = 0; i < snapshot->nr_entries && !err; i++) {
		const struct pp_top_entry *e = &snapshot->entries[i];
		bool wanted = programs || !view->program || !strcmp(view->program, e->program);

		if (!wanted || (*view->filter && !has_text(e->program, view->filter) &&
				(programs || (!has_text(e->function, view->filter) &&
					      !has_text(e->image, view->filter)))))
			continue;
		err = add_row(rows, &(struct pp_top_row){
			.count = e->count,
			.self = e->count,
			.name = programs ? e->program : e->function,
			.image = programs ? NULL : e->image,
			.program = programs ? e->program : NULL,
		});
		rows->shown += e->count;
	}
	if (err)
		return err;
	join_same(rows);
	if (rows->nr)
		qsort_r(rows->items, rows->nr, sizeof(*rows->items), compare_rows, &order);
	return 0;
}

/* For each node of a snapshot: the list of its children, sorted as the view requests. */
struct children {
	uint32_t *first, *next;		/* for each node: first child; next sibling; 0: none */
};

static void children_release(struct children *c)
{
	free(c->first);
	free(c->next);
}

struct child {
	struct pp_top_row row; /* row of the node, with which compare_rows() compares siblings */
};

static int compare_children(const void *a, const void *b, void *arg)
{
	const struct child *x = a, *y = b;

	return compare_rows(&x->row, &y->row, arg);
}

/* List the children of each node. Omit nodes for which @keep[node] is 0. */
static int list_children(struct children *ret, const struct pp_top_snapshot *snapshot,
			 const uint8_t *keep, enum pp_top_order order)
{
	size_t nr = snapshot->nr_nodes, n = 0;
	struct child *sorted = calloc(nr + 1, sizeof(*sorted));
	int err = -ENOMEM;

	ret->first = calloc(nr + 1, sizeof(*ret->first));
	ret->next = calloc(nr + 1, sizeof(*ret->next));
	if (sorted && ret->first && ret->next)
		err = 0;
	for (size_t i = 1; i < nr && !err; i++) {
		const struct pp_top_node *node = &snapshot->nodes[i];

		if (keep[i])
			sorted[n++].row = (struct pp_top_row){
				.count = node->total, .name = node->name, .image = node->image,
				.node = i,
			};
	}
	if (!err && n)
		qsort_r(sorted, n, sizeof(*sorted), compare_children, &order);
	/* Each child is inserted at the head of its parent's list, so insert the last child
	 * first. */
	while (!err && n) {
		uint32_t node = sorted[--n].row.node, parent = snapshot->nodes[node].parent;

		ret->next[node] = ret->first[parent];
		ret->first[parent] = node;
	}
	free(sorted);
	return err;
}

/* Mark the nodes to show with a filter: nodes whose names contain the filter text, and the
 * ancestors and descendants of these nodes. */
static void mark_kept(uint8_t *keep, const struct pp_top_snapshot *snapshot, const char *filter)
{
	for (size_t i = 1; i < snapshot->nr_nodes; i++) {
		const struct pp_top_node *node = &snapshot->nodes[i];

		/* keep[i] is 2 if the name of the node or of an ancestor contains the filter
		 * text. */
		keep[i] = !*filter || keep[node->parent] == 2 || has_text(node->name, filter) ||
			  has_text(node->image, filter) ? 2 : 0;
	}
	for (size_t i = snapshot->nr_nodes; i-- > 1;)
		if (keep[i] && !keep[snapshot->nodes[i].parent])
			keep[snapshot->nodes[i].parent] = 1;
}

/* by default, a node is open (its children are shown) if it has at least this percentage of the
 * samples */
#define OPEN_PERCENT	5

static bool is_open(const struct pp_top_snapshot *snapshot, const struct pp_top_view *view,
		    const struct pp_top_node *node, uint64_t path)
{
	bool usually = view->all_open || *view->filter ||
		       node->total * 100 >= snapshot->total * OPEN_PERCENT;

	return usually != is_toggled(view, path);
}

#define MAX_DEPTH	2100

static int make_tree(struct pp_top_rows *rows, const struct pp_top_snapshot *snapshot,
		     const struct pp_top_view *view, const struct children *children)
{
	/* for each node on the path to the current node: its index, and the hash of the names on
	 * its path */
	struct { uint32_t node; uint64_t path; } way[MAX_DEPTH] = {{ 0, OP_HASH_BEGIN }};
	const char *program = NULL;
	size_t depth = 0;
	uint32_t at = snapshot->nr_nodes ? children->first[0] : 0;
	int err = 0;

	while (at && !err) {
		const struct pp_top_node *node = &snapshot->nodes[at];
		uint64_t path = op_hash_text(op_hash_number(way[depth].path, 0), node->name);
		bool open = is_open(snapshot, view, node, path);

		if (!depth) {
			program = node->name;
			rows->shown += node->total;
		}
		err = add_row(rows, &(struct pp_top_row){
			.count = node->total,
			.self = node->self,
			.name = node->name,
			.image = node->image,
			.program = program,
			.path = path,
			.node = at,
			.depth = depth,
			.has_more = children->first[at] != 0,
			.is_open = open,
		});
		if (open && children->first[at] && depth + 1 < MAX_DEPTH) {
			depth++;
			way[depth].node = at;
			way[depth].path = path;
			at = children->first[at];
			continue;
		}
		while (depth && !children->next[at])
			at = way[depth--].node;
		at = children->next[at];
	}
	return err;
}

static int make_paths(struct pp_top_rows *rows, const struct pp_top_snapshot *snapshot,
		      const struct pp_top_view *view)
{
	struct children children = { NULL, NULL };
	uint8_t *keep = calloc(snapshot->nr_nodes + 1, 1);
	int err = keep ? 0 : -ENOMEM;

	if (!err) {
		mark_kept(keep, snapshot, view->filter);
		err = list_children(&children, snapshot, keep, view->order);
	}
	if (!err)
		err = make_tree(rows, snapshot, view, &children);
	children_release(&children);
	free(keep);
	return err;
}

int pp_top_rows_make(struct pp_top_rows *ret, const struct pp_top_snapshot *snapshot,
		     const struct pp_top_view *view)
{
	struct pp_top_rows rows = { 0 };
	int err = pp_top_has_paths(view->by)
			  ? make_paths(&rows, snapshot, view)
			  : make_flat(&rows, snapshot, view);

	if (err)
		pp_top_rows_release(&rows);
	else
		*ret = rows;
	return err;
}

void pp_top_rows_release(struct pp_top_rows *rows)
{
	free(rows->items);
	*rows = (struct pp_top_rows){ 0 };
}
