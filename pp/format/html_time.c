// SPDX-License-Identifier: GPL-2.0-or-later
/* html_time.c -- samples of the page's rows, images and nodes in each slice of time. */
#include "config.h"
#include "pp/format/html_time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "intervals/interval.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/profile/arcs.h"
#include "pp/session/range.h"

#define NANO	1000000000ll

/*
 * Identifies a row, an image, or a place (a function on a call path) in the profiles of all slices
 * of time. Unused texts are NULL.
 *
 * Titles are compared without the suffix that distinguishes builds: a report with two builds of a
 * binary has two titles, but a slice with one build has a title without suffix. Functions are also
 * compared by build and address, because several functions may have equal texts.
 */
struct key {
	/* titles of program and image without the suffix of a build, owned by .strings */
	const char *app, *image;
	const char *name;
	unsigned int kind;		/* for a function on a call path: enum pp_place_kind */
	uint64_t build, vma;		/* build and address of the function; 0: unknown */
};

/* A key, and the index of its row, image or place in the page's order. */
struct keyed {
	struct key key;
	uint32_t index;
	/* for a row: index of the row that sums the row's program (the row itself, if it is the
	 * sum) */
	uint32_t sum;
	/* title of the image, including the suffix that distinguishes builds */
	const char *title;
};

/* A node in the tree of call paths of the whole time: a place (function) below a parent node. */
struct child {
	/* .parent, .node: indices of nodes in the tree; .place: index of the node's function in
	 * the tree's array .places */
	uint32_t parent, place, node;
	/* index, plus 1, of the graph's node that includes this node's samples; 0: no such node */
	uint32_t picked;
};

struct pp_html_time {
	size_t nr_slices;
	size_t nr_classes;
	/* Number of counts of a row in one slice: the row's own samples or, if rows have inclusive
	 * totals, the totals followed by the own samples. */
	size_t nr_columns;
	/* the rows and images of the tables; pp_html_time_read() sorts them */
	struct keyed *rows, *images;
	size_t nr_rows, nr_images;
	/* places (functions) in the tree of call paths of the whole time, sorted by struct key */
	struct keyed *places;
	size_t nr_places;
	/* nodes of the whole time's tree of call paths, sorted by parent, then function */
	struct child *children;
	size_t nr_children;
	size_t nr_nodes;		/* number of nodes in the page's graph of call paths */
	/* arrays of counts, indexed by row, image or node, then slice, then column */
	uint64_t *row_counts, *image_counts, *node_counts, *totals;
	/* for each slice: number of seconds during which samples were taken, at least 1 */
	int64_t *covered;
	/* memory of the titles, in the report and in a slice, without suffixes of builds */
	struct pp_block *strings;
	struct pp_intern intern;
	const char **titles;
	/* index of the last row that sums a program, and the program's title; NULL: no such row
	 * yet */
	uint32_t sum;
	const char *sum_app;
	bool lacks_memory;
};

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !!a - !!b : strcmp(a, b);
}

static int compare_keys(const struct key *a, const struct key *b)
{
	int c = compare_texts(a->name, b->name);

	if (!c)
		c = compare_texts(a->image, b->image);
	if (!c)
		c = compare_texts(a->app, b->app);
	return c ? c : (int)a->kind - (int)b->kind;
}

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int c = compare_keys(&x->key, &y->key);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	int c = op_compare_u64(x->parent, y->parent);

	return c ? c : op_compare_u64(x->place, y->place);
}

/* Return the element of @items with the key @key (names of a row, image or function), or NULL. */
static const struct keyed *find(const struct keyed *items, size_t nr, const struct key *key)
{
	size_t at = op_partition_point(i, nr, compare_keys(&items[i].key, key) < 0);
	const struct keyed *other = NULL;

	for (; at < nr && !compare_keys(&items[at].key, key); at++) {
		const struct key *item = &items[at].key;

		if (item->vma != key->vma)
			continue;
		if (item->build == key->build)
			return &items[at];
		if (!other && (!item->build || !key->build))
			other = &items[at];
	}
	return other;
}

/* Return @title without the suffix by which builds of a binary are distinguished (identity.h), or
 * NULL if out of memory. */
static const char *without_suffix(struct pp_html_time *time, const char *title)
{
	static const char *const marks[] = { " (version of ", " (build " };
	const char *slash = strrchr(title, '/'), *kept;

	for (size_t i = 0; slash && i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = strstr(slash, marks[i]), *end = mark ? strchr(mark, ')') : NULL;
		char *text;

		if (!end)
			continue;
		if (asprintf(&text, "%.*s%s", (int)(mark - title), title, end + 1) < 0)
			return NULL;
		kept = pp_intern(&time->intern, &time->strings, text);
		free(text);
		return kept;
	}
	return pp_intern(&time->intern, &time->strings, title);
}

/* Set .titles to the titles of the binaries of @profile, without suffixes of builds. */
static int find_titles(struct pp_html_time *time, const struct pp_profile *profile)
{
	free(time->titles);
	time->titles = calloc(profile->nr_binaries + 1, sizeof(*time->titles));
	if (!time->titles)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		time->titles[i] = without_suffix(time, profile->binaries[i].title);
		if (!time->titles[i])
			return -ENOMEM;
	}
	return 0;
}

int pp_html_time_create(struct pp_html_time **ret, const struct pp_html *html)
{
	struct pp_html_time *time;

	*ret = NULL;
	if (!html->report->slices)
		return 0;
	time = calloc(1, sizeof(*time));
	if (!time)
		return -ENOMEM;
	time->nr_slices = html->report->slices->nr;
	time->nr_classes = html->profile->nr_classes;
	time->nr_columns = time->nr_classes * (html->profile->has_totals ? 2 : 1);
	if (find_titles(time, html->profile)) {
		pp_html_time_destroy(time);
		return -ENOMEM;
	}
	*ret = time;
	return 0;
}

void pp_html_time_destroy(struct pp_html_time *time)
{
	if (!time)
		return;
	free(time->rows);
	free(time->images);
	free(time->places);
	free(time->children);
	free(time->row_counts);
	free(time->image_counts);
	free(time->node_counts);
	free(time->totals);
	free(time->covered);
	free(time->titles);
	pp_intern_release(&time->intern);
	pp_block_free(time->strings);
	free(time);
}

/* Return the number that identifies a build of the binary, or 0. @whole: the number is for the
 * whole image, not for a function. Only binaries in files have a title for each build; samples of
 * two kernels are summed. */
static uint64_t build_of(const struct pp_binary *binary, uint32_t build, bool whole)
{
	if (whole && binary->name->kind != OP_IMAGE_ROOT)
		return 0;
	return build < binary->nr_builds ? binary->builds[build] : 0;
}

/* Return the key (struct key) of a function of @profile. .titles must have the titles of @profile.
 * If code has no symbol, the key's function name is the title of the image. */
static struct key key_of_code(const struct pp_html_time *time, const struct pp_profile *profile,
			      uint32_t code)
{
	const struct pp_code *c = &profile->codes[code];
	const char *title = time->titles[c->binary];

	return (struct key){
		.image = title, .vma = c->vma,
		.name = c->kind == PP_CODE_IMAGE || c->kind == PP_CODE_RAW ? title : c->name,
		.build = build_of(&profile->binaries[c->binary], c->build, !c->vma),
	};
}

/* Return the key (struct key) of the image with the title @title. Its sample file belongs to the
 * image's first build; frames of call paths may belong to other builds. */
static struct key key_of_image(const struct pp_html_time *time, const struct pp_profile *profile,
			       const char *title)
{
	for (size_t i = 0; i < profile->nr_binaries; i++)
		if (!strcmp(profile->binaries[i].title, title))
			return (struct key){
				.image = time->titles[i],
				.build = build_of(&profile->binaries[i], 0, true),
			};
	return (struct key){ .image = title };
}

void pp_html_time_row(const struct pp_html *html, const char *app, const char *image, uint32_t code)
{
	struct pp_html_time *time = html->time;
	struct key key = { .image = NULL };
	uint32_t at;

	if (!time)
		return;
	at = (uint32_t)time->nr_rows;
	if (code != PP_NO_CODE)
		key = key_of_code(time, html->profile, code);
	else if (image)
		key = key_of_image(time, html->profile, image);
	key.app = app ? without_suffix(time, app) : NULL;
	if ((app && !key.app) || op_grow(&time->rows, time->nr_rows)) {
		time->lacks_memory = true;
		return;
	}
	/* The row that sums a program precedes the rows of the program's images. */
	if (!key.image) {
		time->sum = at;
		time->sum_app = app;
	}
	time->rows[time->nr_rows] = (struct keyed){ .key = key, .index = at, .sum = at };
	if (code == PP_NO_CODE && time->sum_app && !strcmp(time->sum_app, app))
		time->rows[time->nr_rows].sum = time->sum;
	time->nr_rows++;
}

void pp_html_time_image(const struct pp_html *html, const char *image)
{
	struct pp_html_time *time = html->time;

	if (!time)
		return;
	if (op_grow(&time->images, time->nr_images)) {
		time->lacks_memory = true;
		return;
	}
	time->images[time->nr_images] = (struct keyed){
		.key = key_of_image(time, html->profile, image), .title = image,
		.index = (uint32_t)time->nr_images,
	};
	time->nr_images++;
}

/* Return the number that identifies the build of a binary, or 0 if call paths contain frames of
 * several builds. */
static uint64_t only_build_of(const struct pp_binary *binary)
{
	return binary->nr_builds == 1 ? build_of(binary, 0, true) : 0;
}

/* Return the build of the program with the title @title, or 0. */
static uint64_t build_of_program(const struct pp_profile *profile, const char *title)
{
	for (size_t i = 0; i < profile->nr_binaries; i++)
		if (!strcmp(profile->binaries[i].title, title))
			return only_build_of(&profile->binaries[i]);
	return 0;
}

/* Store the key of a function of the tree (struct pp_place) in *@ret. Return 0 or -ENOMEM. */
static int key_of_place(struct key *ret, struct pp_html_time *time,
			const struct pp_path_names *names, uint32_t index)
{
	const struct pp_place *place = &names->paths->places[index];
	const struct pp_profile *profile = names->stacks.profile;

	if (pp_path_place_code(names, index))
		*ret = key_of_code(time, profile, place->code);
	else if (place->kind == PP_PLACE_INLINED || place->kind == PP_PLACE_WAKER)
		*ret = key_of_code(time, profile, place->code);
	else if (place->kind == PP_PLACE_IMAGE)
		*ret = (struct key){
			.image = time->titles[place->binary],
			.build = only_build_of(&profile->binaries[place->binary]),
		};
	else
		*ret = (struct key){ .image = NULL };
	if (place->kind == PP_PLACE_PROGRAM || place->kind == PP_PLACE_WAKER) {
		ret->app = without_suffix(time, place->name);
		if (!ret->app)
			return -ENOMEM;
	}
	if (place->kind == PP_PLACE_PROGRAM) {
		ret->build = build_of_program(profile, place->name);
	} else if (place->kind == PP_PLACE_INLINED || place->kind == PP_PLACE_SHORT) {
		ret->name = place->name;
	}
	ret->kind = place->kind;
	return 0;
}

/* Set .children to all nodes of the tree of the whole time. @pick: the nodes that the graph
 * shows. */
static int index_nodes(struct pp_html_time *time, const struct pp_paths *paths,
		       const struct pp_path_pick *pick)
{
	/* for each node of the tree: number, plus 1, of the nearest node that the graph shows,
	 * among the node and its ancestors */
	uint32_t *picked = calloc(paths->nr_nodes + 1, sizeof(*picked));

	time->nr_nodes = pick->nr;
	time->children = calloc(paths->nr_nodes + 1, sizeof(*time->children));
	if (!picked || !time->children) {
		free(picked);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < pick->nr; i++)
		picked[pick->nodes[i]] = i + 1;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];

		if (!picked[i])
			picked[i] = picked[node->parent];
		time->children[time->nr_children++] = (struct child){
			node->parent, node->place, i, picked[i],
		};
	}
	qsort(time->children, time->nr_children, sizeof(*time->children), compare_children);
	free(picked);
	return 0;
}

/* Sort the functions and nodes of the whole time's tree, for a binary search. */
static int index_graph(struct pp_html_time *time, const struct pp_path_names *names,
		       const struct pp_path_pick *pick)
{
	time->nr_places = names->paths->nr_places;
	time->places = calloc(time->nr_places + 1, sizeof(*time->places));
	if (!time->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < time->nr_places; i++) {
		time->places[i].index = i;
		if (key_of_place(&time->places[i].key, time, names, i))
			return -ENOMEM;
	}
	qsort(time->places, time->nr_places, sizeof(*time->places), compare_keyed);
	return index_nodes(time, names->paths, pick);
}

static int allocate(struct pp_html_time *time)
{
	const size_t row = time->nr_slices * time->nr_columns,
		     node = time->nr_slices * time->nr_classes;

	time->row_counts = calloc(time->nr_rows * row + 1, sizeof(uint64_t));
	time->image_counts = calloc(time->nr_images * node + 1, sizeof(uint64_t));
	time->node_counts = calloc(time->nr_nodes * node + 1, sizeof(uint64_t));
	time->totals = calloc(node + 1, sizeof(uint64_t));
	time->covered = calloc(time->nr_slices + 1, sizeof(*time->covered));
	return time->row_counts && time->image_counts && time->node_counts && time->totals &&
	       time->covered ? 0 : -ENOMEM;
}

/* State while one slice of time is read. */
struct reading {
	struct pp_html_time *time;
	const struct pp_html *html;
	size_t slice;
	const struct pp_profile *profile;
	/* for each class of samples in the slice: index of the same class in the report;
	 * .nr_classes: not in the report */
	size_t *classes;
};

/* For each class of samples (event, for example) in the slice, find the same class in the
 * report. */
static int match_classes(struct reading *r, const struct pp_report *slice)
{
	const struct pp_classes *mine = &slice->session->classes,
				*all = &r->html->report->session->classes;
	char label[256], other[256];

	r->classes = calloc(mine->nr + 1, sizeof(*r->classes));
	if (!r->classes)
		return -ENOMEM;
	for (size_t i = 0; i < mine->nr; i++) {
		size_t c = 0;

		pp_class_label(label, sizeof(label), &mine->items[i]);
		for (; c < all->nr; c++) {
			pp_class_label(other, sizeof(other), &all->items[c]);
			if (!strcmp(label, other))
				break;
		}
		r->classes[i] = c;
	}
	return 0;
}

/* Add @counts, which are indexed by the slice's classes of samples, to the counts of the item
 * @item, from column @column on. @nr_columns: number of counts of the item in each slice. */
static void add(const struct reading *r, uint64_t *to, size_t item, size_t nr_columns,
		size_t column, const uint64_t *counts)
{
	to += (item * r->time->nr_slices + r->slice) * nr_columns + column;
	for (size_t i = 0; i < r->profile->nr_classes; i++)
		if (r->classes[i] < r->time->nr_classes)
			to[r->classes[i]] += counts[i];
}

static void add_to_row(const struct reading *r, const struct key *key, size_t column,
		       const uint64_t *counts)
{
	struct pp_html_time *time = r->time;
	const struct keyed *row = find(time->rows, time->nr_rows, key);

	if (row)
		add(r, time->row_counts, row->index, time->nr_columns, column, counts);
}

static void add_image(const struct reading *r, const char *app, const struct pp_dependent *image)
{
	struct pp_html_time *time = r->time;
	const size_t own = time->nr_columns - time->nr_classes;
	struct key key = key_of_image(time, r->profile, image->image);
	const struct keyed *row;

	key.app = app;
	row = find(time->rows, time->nr_rows, &key);
	if (!row)
		return;
	add(r, time->row_counts, row->index, time->nr_columns, own, image->counts);
	if (row->sum != row->index)
		add(r, time->row_counts, row->sum, time->nr_columns, own, image->counts);
}

static int add_programs(const struct reading *r)
{
	for (size_t i = 0; i < r->profile->nr_apps; i++) {
		const struct pp_app *app = &r->profile->apps[i];
		const char *title = without_suffix(r->time, app->app);

		for (size_t d = 0; d < app->nr_dependents && title; d++)
			add_image(r, title, &app->dependents[d]);
		if (!title)
			return -ENOMEM;
	}
	return 0;
}

static int add_symbols(const struct reading *r)
{
	struct pp_html_time *time = r->time;
	const size_t own = time->nr_columns - time->nr_classes;

	for (size_t i = 0; i < r->profile->nr_entries; i++) {
		const struct pp_entry *entry = &r->profile->entries[i];
		struct key key = key_of_code(time, r->profile, entry->code);
		const struct key of_image = { .image = key.image, .build = key.build };
		const struct keyed *image = find(time->images, time->nr_images, &of_image);

		if (image)
			add(r, time->image_counts, image->index, time->nr_classes, 0,
			    entry->counts);
		add_to_row(r, &key, own, entry->counts);
		key.app = without_suffix(time, pp_entry_group(r->profile, entry)->app);
		if (!key.app)
			return -ENOMEM;
		add_to_row(r, &key, own, entry->counts);
		if (own && r->profile->has_totals)
			add_to_row(r, &key, 0, pp_entry_total(r->profile, entry));
	}
	return 0;
}

/* The tree of call paths of one slice, whose nodes are looked up in the tree of the whole time. */
struct slice_tree {
	const struct pp_html_time *time;
	const struct pp_paths *paths;
	/* for each function of the slice's tree: the same function in the tree of the whole time,
	 * or NULL */
	const struct keyed **places;
	/* for each node of the slice's tree: index of the same node in the tree of the whole time,
	 * or UINT32_MAX */
	uint32_t *equal;
};

static int slice_tree_init(struct slice_tree *t, struct pp_html_time *time,
			   const struct pp_path_names *names)
{
	const struct pp_paths *paths = names->paths;
	int err;

	*t = (struct slice_tree){
		.time = time, .paths = paths,
		.places = calloc(paths->nr_places + 1, sizeof(*t->places)),
		.equal = calloc(paths->nr_nodes + 1, sizeof(*t->equal)),
	};
	err = t->places && t->equal ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < paths->nr_places && !err; i++) {
		struct key key;

		err = key_of_place(&key, time, names, i);
		if (!err)
			t->places[i] = find(time->places, time->nr_places, &key);
	}
	return err;
}

static void slice_tree_release(struct slice_tree *t)
{
	free(t->places);
	free(t->equal);
}

static const struct child *find_child(const struct pp_html_time *time, uint32_t parent,
				      const struct keyed *place)
{
	const struct child key = { parent, place ? place->index : UINT32_MAX, 0, 0 };

	return parent == UINT32_MAX || !place ? NULL :
	       bsearch(&key, time->children, time->nr_children, sizeof(key), compare_children);
}

/*
 * Look up a node of the slice in the tree of the whole time. A program with several builds has
 * several nodes in that tree, and samples of libraries are below only one of them. So if the node
 * is not found below the program's own build, search below the other builds.
 */
static const struct child *find_node(const struct slice_tree *t, const struct pp_path_node *node)
{
	const struct pp_path_node *parent = &t->paths->nodes[node->parent];
	const struct keyed *place = t->places[node->place], *program = t->places[parent->place],
			   *end = t->time->places + t->time->nr_places, *p = program;
	const struct child *child = find_child(t->time, t->equal[node->parent], place);

	if (child || !node->parent || !program || program->key.kind != PP_PLACE_PROGRAM)
		return child;
	while (p > t->time->places && !compare_keys(&p[-1].key, &program->key))
		p--;
	for (; p < end && !child && !compare_keys(&p->key, &program->key); p++) {
		const struct child *other = find_child(t->time, t->equal[parent->parent], p);

		child = find_child(t->time, other ? other->node : UINT32_MAX, place);
	}
	return child;
}

/* Add the samples of each node of the slice to the graph's node that includes this node in the
 * whole time. Without call paths, the tree lacks symbols below --threshold. */
static int add_nodes(const struct reading *r, const struct pp_path_names *names)
{
	const struct pp_paths *paths = names->paths;
	struct pp_html_time *time = r->time;
	struct slice_tree tree;
	int err = slice_tree_init(&tree, time, names);

	for (uint32_t i = 1; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct child *child = find_node(&tree, node);

		tree.equal[i] = child ? child->node : UINT32_MAX;
		if (node->self && child && child->picked)
			add(r, time->node_counts, child->picked - 1, time->nr_classes, 0,
			    node->self);
	}
	slice_tree_release(&tree);
	return err;
}

/* Return the number of seconds in the slice during which samples were taken. */
static int64_t covered_by(const struct pp_range *range, const struct op_period *period)
{
	int64_t covered = period->end - period->begin;

	for (size_t i = 0; i < range->time.nr_gaps; i++) {
		int64_t from = range->time.gaps[i].from_ns / NANO,
			to = range->time.gaps[i].to_ns / NANO;

		if (from < period->begin)
			from = period->begin;
		if (to > period->end)
			to = period->end;
		if (to > from)
			covered -= to - from;
	}
	return covered > 1 ? covered : 1;
}

static int add_slice(void *arg, size_t slice, const struct pp_report *report)
{
	struct reading r = *(const struct reading *)arg;
	struct pp_path_names names;
	int err = pp_path_names_make(&names, report);

	if (err)
		return err;
	r.slice = slice;
	r.profile = report->profile;
	err = match_classes(&r, report);
	if (!err)
		err = find_titles(r.time, r.profile);
	if (!err) {
		add(&r, r.time->totals, 0, r.time->nr_classes, 0, report->profile->totals);
		r.time->covered[slice] = covered_by(report->session->range,
						    &r.html->report->slices->periods[slice]);
		err = add_programs(&r);
	}
	if (!err)
		err = add_symbols(&r);
	if (!err)
		err = add_nodes(&r, &names);
	free(r.classes);
	pp_path_names_release(&names);
	return err;
}

int pp_html_time_read(struct pp_html_time *time, const struct pp_html *html,
		      const struct pp_path_names *names, const struct pp_path_pick *pick)
{
	const struct pp_report_slices *slices = html->report->slices;
	struct reading reading = { .time = time, .html = html };
	int err = time->lacks_memory ? -ENOMEM : index_graph(time, names, pick);

	if (!err)
		err = allocate(time);
	if (err)
		return err;
	qsort(time->rows, time->nr_rows, sizeof(*time->rows), compare_keyed);
	qsort(time->images, time->nr_images, sizeof(*time->images), compare_keyed);
	for (size_t i = 0; i < slices->nr && !err; i++)
		err = slices->read(slices, i, add_slice, &reading);
	return err;
}

/* Write the counts of a row, image or node over time: for each column, pairs of the distance to the
 * previous slice with samples, and the count. */
static void put_series(struct op_json *json, const struct pp_html_time *time,
		       const uint64_t *counts, size_t item, size_t nr_columns)
{
	counts += item * time->nr_slices * nr_columns;
	op_json_begin(json, '[');
	for (size_t c = 0; c < nr_columns; c++) {
		size_t last = 0;

		op_json_begin(json, '[');
		for (size_t s = 0; s < time->nr_slices; s++) {
			if (!counts[s * nr_columns + c])
				continue;
			op_json_uint(json, s - last);
			op_json_uint(json, counts[s * nr_columns + c]);
			last = s;
		}
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

static void put_all(struct op_json *json, const char *key, const struct pp_html_time *time,
		    const uint64_t *counts, size_t nr, size_t nr_columns)
{
	op_json_begin_key(json, key, '[');
	for (size_t i = 0; i < nr; i++)
		put_series(json, time, counts, i, nr_columns);
	op_json_end(json, ']');
}

/* Write @seconds, a time since 1970, as local time. */
static void put_time(struct op_json *json, int64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[64] = "?";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), tm.tm_sec ? "%a %Y-%m-%d %H:%M:%S %Z" :
							 "%a %Y-%m-%d %H:%M %Z", &tm);
	op_json_string(json, text);
}

/* Write the titles of the images that the bars of the time line distinguish: those with most
 * samples. */
static void put_names(struct op_json *json, const struct pp_html_time *time)
{
	const char **names = calloc(time->nr_images + 1, sizeof(*names));

	op_json_begin_key(json, "names", '[');
	for (size_t i = 0; names && i < time->nr_images; i++)
		names[time->images[i].index] = time->images[i].title;
	for (size_t i = 0; names && i < time->nr_images; i++)
		op_json_string(json, names[i]);
	op_json_end(json, ']');
	free(names);
}

static void put_slices(struct op_json *json, const struct pp_html_time *time,
		       const struct pp_report_slices *slices)
{
	op_json_begin_key(json, "slices", '[');
	for (size_t i = 0; i < slices->nr; i++) {
		op_json_begin(json, '[');
		op_json_int(json, slices->periods[i].begin);
		op_json_int(json, slices->periods[i].end);
		op_json_int(json, time->covered[i] ? time->covered[i] :
					slices->periods[i].end - slices->periods[i].begin);
		put_time(json, slices->periods[i].begin);
		put_time(json, slices->periods[i].end);
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

static void put_gaps(struct op_json *json, const struct pp_range *range)
{
	op_json_begin_key(json, "gaps", '[');
	for (size_t i = 0; i < range->time.nr_gaps; i++) {
		const struct itv_gap *gap = &range->time.gaps[i];

		/* A gap that begins at time 0 is not reported: it only means that the requested
		 * period has no beginning. */
		if (!gap->from_ns)
			continue;
		op_json_begin(json, '[');
		op_json_int(json, gap->from_ns / NANO);
		op_json_int(json, gap->to_ns / NANO);
		put_time(json, gap->from_ns / NANO);
		put_time(json, gap->to_ns / NANO);
		op_json_string(json, gap->reason);
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

void pp_html_time_put(const struct pp_html_time *time, const struct pp_html *html,
		      struct op_json *json)
{
	op_json_begin_key(json, "time", '{');
	op_json_key(json, "parts");
	op_json_uint(json, html->report->session->range->time.nr_parts);
	put_slices(json, time, html->report->slices);
	put_gaps(json, html->report->session->range);
	op_json_key(json, "totals");
	put_series(json, time, time->totals, 0, time->nr_classes);
	put_all(json, "rows", time, time->row_counts, time->nr_rows, time->nr_columns);
	put_names(json, time);
	put_all(json, "images", time, time->image_counts, time->nr_images, time->nr_classes);
	put_all(json, "nodes", time, time->node_counts, time->nr_nodes, time->nr_classes);
	op_json_end(json, '}');
}
