// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c -- adds two intervals by merging their sorted lists.
 *
 * When images, events and frames get new numbers, their order does not change. So a list that was
 * sorted by the old numbers is also sorted by the new numbers.
 */
#include "config.h"
#include "intervals/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/jit_apart.h"
#include "intervals/private.h"

/* One of the two intervals to add, with the numbers that its images, events and frames have in the
 * sum. */
struct side {
	const struct itv *v;
	uint32_t *images, *events, *frames;
};

static int side_init(struct side *s, const struct itv *v)
{
	s->v = v;
	s->images = itv_new_list(v->nr_images, sizeof(*s->images));
	s->events = itv_new_list(v->nr_events, sizeof(*s->events));
	s->frames = itv_new_list(v->nr_frames, sizeof(*s->frames));
	return s->images && s->events && s->frames ? 0 : -ENOMEM;
}

static void side_release(struct side *s)
{
	free(s->images);
	free(s->events);
	free(s->frames);
}

/* Compare item @i of a list of @nr items with item @j of a list of @nr_others items. An index after
 * the end of a list compares as greater than all items. */
#define ORDER(i, nr, j, nr_others, compare) \
	((i) == (nr) ? 1 : (j) == (nr_others) ? -1 : (compare))

static int merge_images(struct side *a, struct side *b, struct itv *sum)
{
	const struct itv *x = a->v, *y = b->v;
	uint32_t i = 0, j = 0;

	while (i < x->nr_images || j < y->nr_images) {
		int order = ORDER(i, x->nr_images, j, y->nr_images,
				  itv_compare_images(&x->images[i], &y->images[j]));

		const struct itv_image *from = order <= 0 ? &x->images[i] : &y->images[j];

		if (!order && !from->build_id_len)
			from = &y->images[j];
		if (itv_copy_image(&sum->images[sum->nr_images], from))
			return -ENOMEM;
		if (order <= 0)
			a->images[i++] = sum->nr_images;
		if (order >= 0)
			b->images[j++] = sum->nr_images;
		sum->nr_images++;
	}
	return 0;
}

static int merge_events(struct side *a, struct side *b, struct itv *sum)
{
	const struct itv *x = a->v, *y = b->v;
	uint32_t i = 0, j = 0;

	while (i < x->nr_events || j < y->nr_events) {
		int order = ORDER(i, x->nr_events, j, y->nr_events,
				  itv_compare_events(&x->events[i], &y->events[j]));
		struct itv_event *event = &sum->events[sum->nr_events];

		if (itv_copy_event(event, order <= 0 ? &x->events[i] : &y->events[j]))
			return -ENOMEM;
		if (!order)
			itv_join_event(event, &y->events[j]);
		if (order <= 0)
			a->events[i++] = sum->nr_events;
		if (order >= 0)
			b->events[j++] = sum->nr_events;
		sum->nr_events++;
	}
	return 0;
}

static struct itv_frame frame_of(const struct side *s, uint32_t i)
{
	struct itv_frame frame = { 0 };

	if (i < s->v->nr_frames)
		frame = s->v->frames[i];
	if (frame.image)
		frame.image = s->images[frame.image - 1] + 1;
	return frame;
}

static void merge_frames(struct side *a, struct side *b, struct itv *sum)
{
	const struct itv *x = a->v, *y = b->v;
	uint32_t i = 0, j = 0;

	while (i < x->nr_frames || j < y->nr_frames) {
		const struct itv_frame one = frame_of(a, i), other = frame_of(b, j);
		int order = ORDER(i, x->nr_frames, j, y->nr_frames,
				  itv_compare_frames(&one, &other));

		sum->frames[sum->nr_frames] = order <= 0 ? one : other;
		if (order <= 0)
			a->frames[i++] = sum->nr_frames;
		if (order >= 0)
			b->frames[j++] = sum->nr_frames;
		sum->nr_frames++;
	}
}

/* Add @count to the total @total of the sum. */
static int add_total(uint64_t *total, uint64_t count)
{
	return __builtin_add_overflow(*total, count, total) ? -EOVERFLOW : 0;
}

/* Append the cells of two groups, merged, to the sum, and add their counts to *@total. Either group
 * may be NULL. */
static int merge_cells(const struct side *a, const struct itv_group *one, const struct side *b,
		       const struct itv_group *other, struct itv *sum, uint64_t *total)
{
	uint32_t nr_x = one ? one->nr_cells : 0, nr_y = other ? other->nr_cells : 0, i = 0, j = 0;
	const struct itv_cell *x = nr_x ? a->v->cells + one->cell : NULL;
	const struct itv_cell *y = nr_y ? b->v->cells + other->cell : NULL;

	while (i < nr_x || j < nr_y) {
		struct itv_cell *cell = &sum->cells[sum->nr_cells++];

		if (j == nr_y || (i < nr_x && x[i].key < y[j].key)) {
			*cell = x[i++];
		} else if (i == nr_x || y[j].key < x[i].key) {
			*cell = y[j++];
		} else {
			*cell = x[i++];
			if (__builtin_add_overflow(cell->count, y[j++].count, &cell->count))
				return -EOVERFLOW;
		}
		if (add_total(total, cell->count))
			return -EOVERFLOW;
	}
	return 0;
}

static struct itv_group group_of(const struct side *s, uint32_t i)
{
	struct itv_group group = { 0 };

	if (i < s->v->nr_groups) {
		group = s->v->groups[i];
		group.app = s->images[group.app];
		group.image = s->images[group.image];
		group.event = s->events[group.event];
	}
	return group;
}

static int merge_groups(const struct side *a, const struct side *b, struct itv *sum)
{
	const struct itv *x = a->v, *y = b->v;
	uint32_t i = 0, j = 0;
	int err = 0;

	while ((i < x->nr_groups || j < y->nr_groups) && !err) {
		const struct itv_group one = group_of(a, i), other = group_of(b, j);
		int order = ORDER(i, x->nr_groups, j, y->nr_groups,
				  itv_compare_groups(&one, &other));
		struct itv_group *group = &sum->groups[sum->nr_groups++];

		*group = order <= 0 ? one : other;
		group->cell = sum->nr_cells;
		err = merge_cells(a, order <= 0 ? &one : NULL, b, order >= 0 ? &other : NULL, sum,
				  sum->images[group->app].woken ? &sum->accounting.wakers :
								  &sum->accounting.samples);
		group->nr_cells = sum->nr_cells - group->cell;
		i += order <= 0;
		j += order >= 0;
	}
	return err;
}

/* The children of one node in each tree that were not merged yet; both nodes are merged into the
 * same node of the sum. */
struct siblings {
	uint32_t left[2];
	/* the node of the sum to which these children are added; ITV_NO_FRAME: the children are
	 * roots */
	uint32_t parent;
};

/* A simultaneous depth-first walk through two trees. */
struct walk {
	const struct side *side[2];
	uint32_t node[2];		/* index of the next node in each tree */
	/* stack of the lists of siblings from the root to the current node */
	struct siblings *siblings;
	size_t nr, room;
};

static int push_siblings(struct walk *w, const uint32_t left[2], uint32_t parent)
{
	if (w->nr == w->room) {
		size_t room = w->room ? 2 * w->room : 64;
		struct siblings *siblings = reallocarray(w->siblings, room, sizeof(*siblings));

		if (!siblings)
			return -ENOMEM;
		w->siblings = siblings;
		w->room = room;
	}
	w->siblings[w->nr++] = (struct siblings){ { left[0], left[1] }, parent };
	return 0;
}

/* Return the frame number that the next sibling in tree @i has in the sum; ITV_NO_FRAME: the tree
 * has no more siblings. */
static uint32_t next_frame(const struct walk *w, const struct siblings *s, int i)
{
	uint32_t frame;

	if (!s->left[i])
		return ITV_NO_FRAME;
	frame = w->side[i]->v->nodes[w->node[i]].frame;
	return frame < ITV_FRAME_FIRST ? frame :
	       w->side[i]->frames[frame - ITV_FRAME_FIRST] + ITV_FRAME_FIRST;
}

/* Append the next node of the two trees to the sum. If both trees have a node with this frame, add
 * up the two nodes. */
static int merge_node(struct walk *w, struct itv *sum, struct itv_tree *tree)
{
	struct siblings *s = &w->siblings[w->nr - 1];
	const uint32_t frame[2] = { next_frame(w, s, 0), next_frame(w, s, 1) };
	const uint32_t number = sum->nr_nodes++;
	struct itv_node *node = &sum->nodes[number];
	uint32_t children[2] = { 0 };

	*node = (struct itv_node){ .frame = frame[0] < frame[1] ? frame[0] : frame[1] };
	for (int i = 0; i < 2; i++) {
		const struct itv_node *from;

		if (frame[i] != node->frame)
			continue;
		from = &w->side[i]->v->nodes[w->node[i]++];
		if (__builtin_add_overflow(node->count, from->count, &node->count))
			return -EOVERFLOW;
		children[i] = from->nr_children;
		s->left[i]--;
	}
	if (add_total(&sum->accounting.paths, node->count))
		return -EOVERFLOW;
	if (node->frame == ITV_FRAME_FOLDED)
		sum->accounting.folded += node->count;
	if (s->parent == ITV_NO_FRAME)
		tree->nr_roots++;
	else
		sum->nodes[s->parent].nr_children++;
	return children[0] || children[1] ? push_siblings(w, children, number) : 0;
}

/* Append the nodes of two trees, merged, to the sum; either tree may be NULL. */
static int merge_nodes(struct walk *w, const struct itv_tree *one, const struct itv_tree *other,
		       struct itv *sum)
{
	struct itv_tree *tree = &sum->trees[sum->nr_trees++];
	const uint32_t roots[2] = { one ? one->nr_roots : 0, other ? other->nr_roots : 0 };
	int err;

	*tree = one ? *one : *other;
	tree->node = sum->nr_nodes;
	tree->nr_roots = 0;
	w->node[0] = one ? one->node : 0;
	w->node[1] = other ? other->node : 0;
	w->nr = 0;
	err = push_siblings(w, roots, ITV_NO_FRAME);
	while (w->nr && !err) {
		const struct siblings *s = &w->siblings[w->nr - 1];

		if (s->left[0] || s->left[1])
			err = merge_node(w, sum, tree);
		else
			w->nr--;
	}
	tree->nr_nodes = sum->nr_nodes - tree->node;
	return err;
}

static struct itv_tree tree_of(const struct side *s, uint32_t i)
{
	struct itv_tree tree = { 0 };

	if (i < s->v->nr_trees) {
		tree = s->v->trees[i];
		tree.app = s->images[tree.app];
		tree.event = s->events[tree.event];
	}
	return tree;
}

static int merge_trees(const struct side *a, const struct side *b, struct itv *sum)
{
	const struct itv *x = a->v, *y = b->v;
	struct walk w = { .side = { a, b } };
	uint32_t i = 0, j = 0;
	int err = 0;

	while ((i < x->nr_trees || j < y->nr_trees) && !err) {
		const struct itv_tree one = tree_of(a, i), other = tree_of(b, j);
		int order = ORDER(i, x->nr_trees, j, y->nr_trees,
				  itv_compare_trees(&one, &other));

		err = merge_nodes(&w, order <= 0 ? &one : NULL, order >= 0 ? &other : NULL, sum);
		i += order <= 0;
		j += order >= 0;
	}
	free(w.siblings);
	return err;
}

/* Return less than 0, 0 or more than 0 if interval @a is earlier than, simultaneous with, or later
 * than interval @b. */
static int compare_intervals(const struct itv_accounting *a, const struct itv_accounting *b)
{
	if (a->ended_ns != b->ended_ns)
		return a->ended_ns < b->ended_ns ? -1 : 1;
	return a->begun_ns < b->begun_ns ? -1 : a->begun_ns > b->begun_ns;
}

static int compare_contents(const struct itv_file *a, const struct itv_file *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return a->len ? memcmp(a->data, b->data, a->len) : 0;
}

/* Append a small file to the sum. If both intervals have a file with this name, join the lines of
 * the two files. */
static int merge_file(const struct itv_file *one, const struct itv_file *other, int intervals,
		      struct itv_file *ret)
{
	const struct itv_file empty = { 0 };
	int contents;

	if (!one || !other)
		return itv_join_lines(&empty, one ? one : other, ret);
	contents = compare_contents(one, other);
	if (!contents)
		return itv_join_lines(&empty, one, ret);
	if (!intervals)
		intervals = contents;
	return intervals < 0 ? itv_join_lines(one, other, ret) : itv_join_lines(other, one, ret);
}

static int merge_files(const struct itv *x, const struct itv *y, struct itv *sum)
{
	int intervals = compare_intervals(&x->accounting, &y->accounting);
	uint32_t i = 0, j = 0;

	while (i < x->nr_files || j < y->nr_files) {
		int order = ORDER(i, x->nr_files, j, y->nr_files,
				  strcmp(x->files[i].name, y->files[j].name));

		if (merge_file(order <= 0 ? &x->files[i] : NULL, order >= 0 ? &y->files[j] : NULL,
			       intervals, &sum->files[sum->nr_files]))
			return -ENOMEM;
		sum->nr_files++;
		i += order <= 0;
		j += order >= 0;
	}
	return 0;
}

/* Allocate lists for the items of both intervals in the sum. */
static int make_room(const struct itv *a, const struct itv *b, struct itv *sum)
{
	if (b->nr_nodes > UINT32_MAX - a->nr_nodes || b->nr_cells > UINT32_MAX - a->nr_cells ||
	    b->nr_frames > UINT32_MAX - ITV_FRAME_FIRST - 1 - a->nr_frames)
		return -EOVERFLOW;
	sum->images = itv_new_list((size_t)a->nr_images + b->nr_images, sizeof(*sum->images));
	sum->events = itv_new_list((size_t)a->nr_events + b->nr_events, sizeof(*sum->events));
	sum->groups = itv_new_list((size_t)a->nr_groups + b->nr_groups, sizeof(*sum->groups));
	sum->cells = itv_new_list((size_t)a->nr_cells + b->nr_cells, sizeof(*sum->cells));
	sum->frames = itv_new_list((size_t)a->nr_frames + b->nr_frames, sizeof(*sum->frames));
	sum->trees = itv_new_list((size_t)a->nr_trees + b->nr_trees, sizeof(*sum->trees));
	sum->nodes = itv_new_list((size_t)a->nr_nodes + b->nr_nodes, sizeof(*sum->nodes));
	sum->files = itv_new_list((size_t)a->nr_files + b->nr_files, sizeof(*sum->files));
	return sum->images && sum->events && sum->groups && sum->cells && sum->frames &&
	       sum->trees && sum->nodes && sum->files ? 0 : -ENOMEM;
}

/* Free the unused memory at the ends of the largest lists: equal items were joined, so the lists
 * are shorter than allocated. */
static void shrink(struct itv *v)
{
	struct itv_node *nodes = reallocarray(v->nodes, v->nr_nodes + 1ul, sizeof(*nodes));
	struct itv_cell *cells = reallocarray(v->cells, v->nr_cells + 1ul, sizeof(*cells));

	if (nodes)
		v->nodes = nodes;
	if (cells)
		v->cells = cells;
}

/* Merge all lists of @to and @from into the zeroed struct *@sum, and set the sum's totals. Lists
 * that are merged from valid lists are valid, so the sum needs no itv_check(). */
static int merge_lists(const struct itv *to, const struct itv *from, struct itv *sum)
{
	struct side a = { 0 }, b = { 0 };
	int err = make_room(to, from, sum);

	if (!err)
		err = side_init(&a, to);
	if (!err)
		err = side_init(&b, from);
	if (!err)
		err = merge_images(&a, &b, sum);
	if (!err)
		err = merge_events(&a, &b, sum);
	if (!err) {
		merge_frames(&a, &b, sum);
		err = merge_groups(&a, &b, sum);
	}
	if (!err)
		err = merge_trees(&a, &b, sum);
	if (!err)
		err = merge_files(to, from, sum);
	side_release(&a);
	side_release(&b);
	return err;
}

int itv_merge(struct itv *to, const struct itv *from, const char *gap_reason)
{
	struct itv sum = { 0 }, apart = { 0 };
	int err = itv_jit_apart(to, from, &apart);

	/* Let @apart use the accounting of @from: to merge text files, the times of both intervals
	 * are needed. */
	apart.accounting = from->accounting;
	if (err >= 0)
		err = merge_lists(to, err ? &apart : from, &sum);
	apart.accounting = (struct itv_accounting){ 0 };
	itv_release(&apart);
	if (!err)
		err = itv_merge_accounting(&to->accounting, &from->accounting, gap_reason);
	if (err) {
		itv_release(&sum);
		return err;
	}
	shrink(&sum);
	to->accounting.samples = sum.accounting.samples;
	to->accounting.paths = sum.accounting.paths;
	to->accounting.folded = sum.accounting.folded;
	to->accounting.wakers = sum.accounting.wakers;
	sum.accounting = to->accounting;
	to->accounting = (struct itv_accounting){ 0 };
	itv_release(to);
	*to = sum;
	return 0;
}
