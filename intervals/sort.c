// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c -- sorts all lists of an interval into canonical order.
 */
#include "config.h"
#include "intervals/interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/private.h"
#include "libop/base/search.h"

/* For images, events and frames: an array of their new numbers, indexed by the old numbers. */
struct maps {
	uint32_t *images, *events, *frames;
};

static void release_maps(struct maps *maps)
{
	free(maps->images);
	free(maps->events);
	free(maps->frames);
}

/* Compare images for sorting: an image with a build-id precedes equal images without one, because
 * only the first of several equal images is copied. */
static int compare_image_items(const void *a, const void *b)
{
	const struct itv_image *x = *(struct itv_image *const *)a;
	const struct itv_image *y = *(struct itv_image *const *)b;
	int order = itv_compare_images(x, y);

	return order ? order : op_compare_u64(y->build_id_len, x->build_id_len);
}

static int compare_event_items(const void *a, const void *b)
{
	return itv_compare_events(*(struct itv_event *const *)a, *(struct itv_event *const *)b);
}

static int compare_frame_items(const void *a, const void *b)
{
	return itv_compare_frames(a, b);
}

static int compare_group_items(const void *a, const void *b)
{
	return itv_compare_groups(a, b);
}

static int compare_tree_items(const void *a, const void *b)
{
	return itv_compare_trees(a, b);
}

/* Compare small files for sorting: among files with the same name, the longest is first. */
static int compare_file_items(const void *a, const void *b)
{
	const struct itv_file *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	order = order ? order : op_compare_u64(y->len, x->len);
	return order || !x->len ? order : memcmp(x->data, y->data, x->len);
}

static int compare_cells(const void *a, const void *b)
{
	return op_compare_u64(((const struct itv_cell *)a)->key, ((const struct itv_cell *)b)->key);
}

static int sort_images(const struct itv *v, struct itv *lists, uint32_t *map)
{
	const struct itv_image **order = itv_new_list(v->nr_images, sizeof(*order));
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->nr_images; i++)
		order[i] = &v->images[i];
	qsort(order, v->nr_images, sizeof(*order), compare_image_items);
	for (uint32_t i = 0; i < v->nr_images && !err; i++) {
		if (!i || itv_compare_images(order[i - 1], order[i]))
			err = itv_copy_image(&lists->images[lists->nr_images], order[i]);
		else
			lists->nr_images--;
		map[order[i] - v->images] = lists->nr_images;
		if (!err)
			lists->nr_images++;
	}
	free(order);
	return err;
}

static int sort_events(const struct itv *v, struct itv *lists, uint32_t *map)
{
	const struct itv_event **order = itv_new_list(v->nr_events, sizeof(*order));
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->nr_events; i++)
		order[i] = &v->events[i];
	qsort(order, v->nr_events, sizeof(*order), compare_event_items);
	for (uint32_t i = 0; i < v->nr_events && !err; i++) {
		if (!i || itv_compare_events(order[i - 1], order[i]))
			err = itv_copy_event(&lists->events[lists->nr_events], order[i]);
		else
			lists->nr_events--;
		map[order[i] - v->events] = lists->nr_events;
		if (err)
			break;
		itv_join_event(&lists->events[lists->nr_events], order[i]);
		lists->nr_events++;
	}
	free(order);
	return err;
}

/* A frame with the new number of its image, and with the frame's own old number. */
struct numbered_frame {
	struct itv_frame frame;
	uint32_t number;
};

static int sort_frames(const struct itv *v, struct itv *lists, const struct maps *maps)
{
	struct numbered_frame *order = itv_new_list(v->nr_frames, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		order[i] = (struct numbered_frame){ v->frames[i], i };
		if (order[i].frame.image > v->nr_images) {
			free(order);
			return -EINVAL;
		}
		if (order[i].frame.image)
			order[i].frame.image = maps->images[order[i].frame.image - 1] + 1;
	}
	qsort(order, v->nr_frames, sizeof(*order), compare_frame_items);
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		if (!i || itv_compare_frames(&order[i - 1].frame, &order[i].frame))
			lists->frames[lists->nr_frames++] = order[i].frame;
		maps->frames[order[i].number] = lists->nr_frames - 1;
	}
	free(order);
	return 0;
}

/* Sort the cells with index @first and above, and add up cells with the same key. */
static int sort_cells(struct itv *lists, uint32_t first)
{
	struct itv_cell *cells = lists->cells + first;
	uint32_t nr = lists->nr_cells - first, kept = 0, i;

	for (i = 1; i < nr && cells[i - 1].key < cells[i].key; i++)
		;
	if (i < nr)
		qsort(cells, nr, sizeof(*cells), compare_cells);
	for (i = 0; i < nr; i++) {
		if (!cells[i].count)
			continue;
		if (!kept || cells[kept - 1].key != cells[i].key)
			cells[kept++] = cells[i];
		else if (__builtin_add_overflow(cells[kept - 1].count, cells[i].count,
						&cells[kept - 1].count))
			return -EOVERFLOW;
	}
	lists->nr_cells = first + kept;
	return 0;
}

/* Return a list of the groups with the new numbers of images and events, sorted; or NULL, and *@err
 * is -ENOMEM or -EINVAL. */
static struct itv_group *order_groups(const struct itv *v, const struct maps *maps, int *err)
{
	struct itv_group *order = itv_new_list(v->nr_groups, sizeof(*order));

	*err = order ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < v->nr_groups && !*err; i++) {
		struct itv_group *g = &order[i];

		*g = v->groups[i];
		if (g->app >= v->nr_images || g->image >= v->nr_images ||
		    g->event >= v->nr_events || g->cell > v->nr_cells ||
		    g->nr_cells > v->nr_cells - g->cell) {
			*err = -EINVAL;
			break;
		}
		g->app = maps->images[g->app];
		g->image = maps->images[g->image];
		g->event = maps->events[g->event];
	}
	if (*err) {
		free(order);
		return NULL;
	}
	qsort(order, v->nr_groups, sizeof(*order), compare_group_items);
	return order;
}

static int sort_groups(const struct itv *v, struct itv *lists, const struct maps *maps)
{
	uint64_t nr_cells = 0;
	struct itv_group *order;
	int err;

	order = order_groups(v, maps, &err);
	if (!order)
		return err;
	for (uint32_t i = 0; i < v->nr_groups; i++)
		nr_cells += order[i].nr_cells;
	lists->cells = nr_cells > UINT32_MAX ? NULL : itv_new_list(nr_cells, sizeof(*lists->cells));
	if (!lists->cells)
		err = nr_cells > UINT32_MAX ? -EOVERFLOW : -ENOMEM;
	for (uint32_t i = 0; i < v->nr_groups && !err; ) {
		struct itv_group *g = &lists->groups[lists->nr_groups++];

		*g = order[i];
		g->cell = lists->nr_cells;
		for (; i < v->nr_groups && !itv_compare_groups(g, &order[i]); i++) {
			if (order[i].nr_cells)
				memcpy(lists->cells + lists->nr_cells, v->cells + order[i].cell,
				       order[i].nr_cells * sizeof(*lists->cells));
			lists->nr_cells += order[i].nr_cells;
		}
		err = sort_cells(lists, g->cell);
		g->nr_cells = lists->nr_cells - g->cell;
	}
	free(order);
	return err;
}

/* A node of an unsorted tree that still has to be added to the sorted tree. */
struct waiting {
	/* number of the batch: nodes with the same number become siblings in the sorted tree */
	uint32_t parent;
	uint32_t frame;		/* new number of the node's frame */
	uint32_t node;		/* index of the node in the unsorted tree */
};

/* State of merging several unsorted trees with the same key into one sorted tree. */
struct planting {
	const struct itv *v;
	const struct maps *maps;
	struct itv *lists;
	/* for each node of the unsorted trees, the index after its subtree */
	uint32_t *end;
	/* stack of nodes that still have to be added to the sorted tree; the first sibling is on
	 * top */
	struct waiting *waiting;
	size_t nr_waiting, room;
	/* nodes of the unsorted trees that are merged into the same node of the sorted tree */
	uint32_t *same;
	size_t nr_same, room_same;
	uint32_t batch;
};

/* Compare nodes for sorting: in descending order of frames, so that the lowest frame is on top of
 * the stack. */
static int compare_waiting(const void *a, const void *b)
{
	return op_compare_u64(((const struct waiting *)b)->frame,
			      ((const struct waiting *)a)->frame);
}

/* Set .end for the nodes of @tree. Return -EINVAL if the nodes do not form complete trees. */
static int find_ends(struct planting *p, const struct itv_tree *tree)
{
	const uint32_t last = tree->node + tree->nr_nodes;
	uint32_t end;

	for (uint32_t i = last; i-- > tree->node; ) {
		end = i + 1;
		for (uint32_t n = p->v->nodes[i].nr_children; n; n--) {
			if (end >= last)
				return -EINVAL;
			end = p->end[end];
		}
		p->end[i] = end;
	}
	end = tree->node;
	for (uint32_t n = tree->nr_roots; n; n--) {
		if (end >= last)
			return -EINVAL;
		end = p->end[end];
	}
	return end == last ? 0 : -EINVAL;
}

/* Push @nr siblings onto the stack: the node with index @node and the siblings after it. */
static int add_waiting(struct planting *p, uint32_t node, uint32_t nr)
{
	for (; nr; nr--, node = p->end[node]) {
		uint32_t frame = p->v->nodes[node].frame;

		if (frame >= p->v->nr_frames + ITV_FRAME_FIRST)
			return -EINVAL;
		if (frame >= ITV_FRAME_FIRST)
			frame = p->maps->frames[frame - ITV_FRAME_FIRST] + ITV_FRAME_FIRST;
		if (p->nr_waiting == p->room) {
			size_t room = p->room ? 2 * p->room : 64;
			struct waiting *waiting = reallocarray(p->waiting, room, sizeof(*waiting));

			if (!waiting)
				return -ENOMEM;
			p->waiting = waiting;
			p->room = room;
		}
		p->waiting[p->nr_waiting++] = (struct waiting){ p->batch, frame, node };
	}
	return 0;
}

/* Sort the siblings that are on the stack from index @first on. Return the number of different
 * frames. */
static uint32_t sort_waiting(struct planting *p, size_t first)
{
	const size_t nr = p->nr_waiting - first;
	struct waiting *waiting;
	uint32_t different = 1;

	p->batch++;
	if (nr < 2)
		return (uint32_t)nr;
	waiting = p->waiting + first;
	qsort(waiting, nr, sizeof(*waiting), compare_waiting);
	for (size_t i = 1; i < nr; i++)
		different += waiting[i].frame != waiting[i - 1].frame;
	return different;
}

/* Pop the nodes on top of the stack that have the same parent and frame. Set *@ret to one node with
 * the sum of their counts. */
static int pop_same(struct planting *p, struct itv_node *ret)
{
	const struct waiting top = p->waiting[p->nr_waiting - 1];

	*ret = (struct itv_node){ .frame = top.frame };
	p->nr_same = 0;
	while (p->nr_waiting) {
		const struct waiting *w = &p->waiting[p->nr_waiting - 1];

		if (w->parent != top.parent || w->frame != top.frame)
			break;
		if (p->nr_same == p->room_same) {
			size_t room = p->room_same ? 2 * p->room_same : 64;
			uint32_t *same = reallocarray(p->same, room, sizeof(*same));

			if (!same)
				return -ENOMEM;
			p->same = same;
			p->room_same = room;
		}
		p->same[p->nr_same++] = w->node;
		if (__builtin_add_overflow(ret->count, p->v->nodes[w->node].count, &ret->count))
			return -EOVERFLOW;
		p->nr_waiting--;
	}
	return 0;
}

/* Merge the @nr trees at @trees, which have the same key, into one sorted tree. */
static int plant(struct planting *p, const struct itv_tree *trees, uint32_t nr)
{
	struct itv_tree *tree = &p->lists->trees[p->lists->nr_trees];
	int err = 0;

	*tree = trees[0];
	tree->node = p->lists->nr_nodes;
	for (uint32_t i = 0; i < nr && !err; i++) {
		err = find_ends(p, &trees[i]);
		if (!err)
			err = add_waiting(p, trees[i].node, trees[i].nr_roots);
	}
	if (err)
		return err;
	tree->nr_roots = sort_waiting(p, 0);
	while (p->nr_waiting && !err) {
		struct itv_node *node = &p->lists->nodes[p->lists->nr_nodes++];
		size_t first;

		err = pop_same(p, node);
		first = p->nr_waiting;
		for (size_t i = 0; i < p->nr_same && !err; i++)
			err = add_waiting(p, p->same[i] + 1, p->v->nodes[p->same[i]].nr_children);
		node->nr_children = sort_waiting(p, first);
	}
	tree->nr_nodes = p->lists->nr_nodes - tree->node;
	p->lists->nr_trees++;
	return err;
}

static struct itv_tree *order_trees(const struct itv *v, const struct maps *maps, int *err)
{
	struct itv_tree *order = itv_new_list(v->nr_trees, sizeof(*order));

	*err = order ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < v->nr_trees && !*err; i++) {
		struct itv_tree *t = &order[i];

		*t = v->trees[i];
		if (t->app >= v->nr_images || t->event >= v->nr_events || t->node > v->nr_nodes ||
		    t->nr_nodes > v->nr_nodes - t->node) {
			*err = -EINVAL;
			break;
		}
		t->app = maps->images[t->app];
		t->event = maps->events[t->event];
	}
	if (*err) {
		free(order);
		return NULL;
	}
	qsort(order, v->nr_trees, sizeof(*order), compare_tree_items);
	return order;
}

static int sort_trees(const struct itv *v, struct itv *lists, const struct maps *maps)
{
	struct planting p = { .v = v, .maps = maps, .lists = lists };
	uint64_t nr_nodes = 0;
	struct itv_tree *order;
	int err;

	order = order_trees(v, maps, &err);
	if (!order)
		return err;
	for (uint32_t i = 0; i < v->nr_trees; i++)
		nr_nodes += order[i].nr_nodes;
	p.end = itv_new_list(v->nr_nodes, sizeof(*p.end));
	lists->nodes = nr_nodes > UINT32_MAX ? NULL : itv_new_list(nr_nodes, sizeof(*lists->nodes));
	if (!p.end || !lists->nodes)
		err = nr_nodes > UINT32_MAX ? -EOVERFLOW : -ENOMEM;
	for (uint32_t i = 0, nr; i < v->nr_trees && !err; i += nr) {
		for (nr = 1; i + nr < v->nr_trees; nr++) {
			if (itv_compare_trees(&order[i], &order[i + nr]))
				break;
		}
		err = plant(&p, &order[i], nr);
	}
	free(order);
	free(p.end);
	free(p.waiting);
	free(p.same);
	return err;
}

int itv_sorted_lists(const struct itv *v, struct itv *lists)
{
	struct maps maps = {
		.images = itv_new_list(v->nr_images, sizeof(*maps.images)),
		.events = itv_new_list(v->nr_events, sizeof(*maps.events)),
		.frames = itv_new_list(v->nr_frames, sizeof(*maps.frames)),
	};
	int err = maps.images && maps.events && maps.frames ? 0 : -ENOMEM;

	lists->images = itv_new_list(v->nr_images, sizeof(*lists->images));
	lists->events = itv_new_list(v->nr_events, sizeof(*lists->events));
	lists->frames = itv_new_list(v->nr_frames, sizeof(*lists->frames));
	lists->groups = itv_new_list(v->nr_groups, sizeof(*lists->groups));
	lists->trees = itv_new_list(v->nr_trees, sizeof(*lists->trees));
	if (!lists->images || !lists->events || !lists->frames || !lists->groups || !lists->trees)
		err = -ENOMEM;
	if (!err)
		err = sort_images(v, lists, maps.images);
	if (!err)
		err = sort_events(v, lists, maps.events);
	if (!err)
		err = sort_frames(v, lists, &maps);
	if (!err)
		err = sort_groups(v, lists, &maps);
	if (!err)
		err = sort_trees(v, lists, &maps);
	release_maps(&maps);
	return err;
}

/* Sort the small files of the interval. If several files have the same name, keep only the
 * longest. */
static void sort_files(struct itv *v)
{
	uint32_t kept = 0;

	if (v->nr_files)
		qsort(v->files, v->nr_files, sizeof(*v->files), compare_file_items);
	for (uint32_t i = 0; i < v->nr_files; i++) {
		if (!kept || strcmp(v->files[kept - 1].name, v->files[i].name)) {
			v->files[kept++] = v->files[i];
			continue;
		}
		free(v->files[i].name);
		free(v->files[i].data);
	}
	v->nr_files = kept;
}

int itv_sort(struct itv *v)
{
	struct itv lists = { 0 };
	int err = itv_sorted_lists(v, &lists);

	if (!err)
		err = itv_drop_unused(&lists);
	if (err) {
		itv_release(&lists);
		return err;
	}
	itv_replace_lists(v, &lists);
	sort_files(v);
	itv_sort_accounting(&v->accounting);
	return 0;
}
