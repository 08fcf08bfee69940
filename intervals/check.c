// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c -- checks the invariants of an interval, and computes the sums of its counts.
 */
#include "config.h"
#include "intervals/interval.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "intervals/private.h"

#define MAX_BUILD_ID	64	/* maximum length of a build-id in bytes */

static bool is_id(int32_t id)
{
	return id >= OP_ALL;
}

static bool check_gaps(const struct itv_accounting *a)
{
	for (size_t i = 0; i < a->nr_gaps; i++) {
		const struct itv_gap *gap = &a->gaps[i];

		if (!gap->reason || gap->from_ns >= gap->to_ns ||
		    (i && gap[-1].to_ns > gap->from_ns))
			return false;
	}
	return a->precision <= ITV_FUNCTIONS;
}

static bool check_images(const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_images; i++) {
		const struct itv_image *image = &v->images[i];

		if (!image->image.name.path || image->image.name.kind > OP_IMAGE_ANON ||
		    (image->image.name.unit && image->image.name.unit[0] != '/') ||
		    (image->woken && image->woken[0] != '/') ||
		    image->build_id_len > MAX_BUILD_ID ||
		    (image->build_id_len && !image->build_id) ||
		    (i && itv_compare_images(image - 1, image) >= 0))
			return false;
	}
	return true;
}

static bool check_events(const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_events; i++) {
		const struct itv_event *event = &v->events[i];

		if (!event->name || !isfinite(event->cpu_speed) || event->cpu_speed < 0 ||
		    (i && itv_compare_events(event - 1, event) >= 0))
			return false;
	}
	return true;
}

/* Return whether @name is a relative path without empty components, "." and "..". */
static bool is_file_name(const char *name)
{
	for (;;) {
		size_t len = strcspn(name, "/");

		if (!len || (len == 1 && *name == '.') || (len == 2 && !strncmp(name, "..", 2)))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

static bool check_files(const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_files; i++) {
		const struct itv_file *file = &v->files[i];

		if (!file->name || !is_file_name(file->name) || (file->len && !file->data) ||
		    (i && strcmp(file[-1].name, file->name) >= 0))
			return false;
	}
	return true;
}

static int check_cells(const struct itv *v, const struct itv_group *group, uint64_t *sum)
{
	for (uint32_t i = 0; i < group->nr_cells; i++) {
		const struct itv_cell *cell = &v->cells[group->cell + i];

		if (!cell->count || (i && cell[-1].key >= cell->key))
			return -EINVAL;
		if (__builtin_add_overflow(*sum, cell->count, sum))
			return -EOVERFLOW;
	}
	return 0;
}

static int check_groups(const struct itv *v, struct itv_totals *totals)
{
	uint32_t cell = 0;

	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *g = &v->groups[i];
		int err;

		if (g->app >= v->nr_images || g->image >= v->nr_images ||
		    g->event >= v->nr_events || !is_id(g->tgid) || !is_id(g->tid) ||
		    !is_id(g->cpu) || g->cell != cell || g->nr_cells > v->nr_cells - cell ||
		    (i && itv_compare_groups(g - 1, g) >= 0))
			return -EINVAL;
		err = check_cells(v, g, v->images[g->app].woken ? &totals->wakers :
								  &totals->samples);
		if (err)
			return err;
		cell += g->nr_cells;
	}
	return cell == v->nr_cells ? 0 : -EINVAL;
}

static bool check_frames(const struct itv *v)
{
	if (v->nr_frames > ITV_NO_FRAME - ITV_FRAME_FIRST)
		return false;
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		const struct itv_frame *frame = &v->frames[i];

		if (frame->image > v->nr_images || (i && itv_compare_frames(frame - 1, frame) >= 0))
			return false;
	}
	return true;
}

static int check_nodes(const struct itv *v, const struct itv_tree *tree, struct itv_levels *levels,
		       struct itv_totals *totals)
{
	int err = itv_levels_push(levels, tree->nr_roots, ITV_NO_FRAME);

	for (uint32_t i = 0; i < tree->nr_nodes && !err; i++) {
		const struct itv_node *node = &v->nodes[tree->node + i];
		struct itv_level *level = itv_levels_next(levels);

		if (!level || node->frame >= v->nr_frames + ITV_FRAME_FIRST ||
		    (level->last != ITV_NO_FRAME && node->frame <= level->last))
			return -EINVAL;
		level->last = node->frame;
		level->left--;
		if (__builtin_add_overflow(totals->paths, node->count, &totals->paths))
			return -EOVERFLOW;
		if (node->frame == ITV_FRAME_FOLDED)
			totals->folded += node->count;
		if (node->nr_children)
			err = itv_levels_push(levels, node->nr_children, node->frame);
	}
	return err ? err : itv_levels_next(levels) ? -EINVAL : 0;
}

static int check_trees(const struct itv *v, struct itv_totals *totals)
{
	struct itv_levels levels = { 0 };
	uint32_t node = 0;
	int err = 0;

	for (uint32_t i = 0; i < v->nr_trees && !err; i++) {
		const struct itv_tree *t = &v->trees[i];

		if (t->app >= v->nr_images || t->event >= v->nr_events || !is_id(t->tgid) ||
		    !is_id(t->tid) || !is_id(t->cpu) || t->node != node ||
		    t->nr_nodes > v->nr_nodes - node || (i && itv_compare_trees(t - 1, t) >= 0))
			err = -EINVAL;
		else
			err = check_nodes(v, t, &levels, totals);
		node += t->nr_nodes;
	}
	itv_levels_release(&levels);
	return err ? err : node == v->nr_nodes ? 0 : -EINVAL;
}

int itv_check(const struct itv *v, struct itv_totals *totals)
{
	struct itv_totals sums = { 0 };
	int err;

	if (!check_gaps(&v->accounting) || !check_images(v) || !check_events(v) ||
	    !check_files(v) || !check_frames(v))
		return -EINVAL;
	err = check_groups(v, &sums);
	if (!err)
		err = check_trees(v, &sums);
	if (!err)
		*totals = sums;
	return err;
}

int itv_sum(struct itv *v)
{
	struct itv_totals totals;
	int err = itv_check(v, &totals);

	if (err)
		return err;
	v->accounting.samples = totals.samples;
	v->accounting.paths = totals.paths;
	v->accounting.folded = totals.folded;
	v->accounting.wakers = totals.wakers;
	return 0;
}
