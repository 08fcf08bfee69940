// SPDX-License-Identifier: GPL-2.0-or-later
/* interval.c -- a sum of intervals in memory as a source of samples and call paths. */
#include "config.h"
#include "pp/source/interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/sample_names.h"
#include "libop/base/grow.h"

/* number that identifies the list of frames; each source has its own list */
#define GENERATION	1

struct pp_interval {
	struct itv v;
	struct itv_versions versions;
	/* for each node of .v: number of the parent, as in struct tree_node */
	uint32_t *parents;
};

static void close_interval(struct pp_source *source)
{
	struct pp_interval *interval = source->interval;

	if (!interval)
		return;
	itv_versions_release(&interval->versions);
	itv_release(&interval->v);
	free(interval->parents);
	free(interval);
}

static int addresses(const struct pp_source *source, const struct pp_source_part *part,
		     struct pp_source_taker *taker)
{
	const struct itv *v = &source->interval->v;
	const struct itv_group *group = &v->groups[part->item];
	const struct itv_event *event = &v->events[group->event];
	const struct op_path_image *image =
		&v->images[source->interval->versions.first[group->image]].image;
	int err = taker->begin(taker->arg, &(struct pp_source_facts){
		.identity = image->identity,
		.mtime = image->mtime,
		.is_kernel = image->is_kernel,
		.anon_start = image->name.kind == OP_IMAGE_ANON ? image->name.anon_start : 0,
		.cpu_type = event->cpu_type,
		.cpu_speed = event->cpu_speed,
	});

	for (uint32_t i = 0; i < group->nr_cells && !err; i++) {
		const struct itv_cell *cell = &v->cells[group->cell + i];

		err = taker->address(taker->arg, cell->key, cell->count);
	}
	return err;
}

static int images(const struct pp_source *source, struct op_path_images *ret)
{
	const struct itv *v = &source->interval->v;
	struct op_path_images list = { 0 };

	for (uint32_t i = 0; i < v->nr_images && i < OP_PATH_IMAGES_MAX; i++) {
		struct op_path_image image = v->images[i].image;

		image.name.path = strdup(image.name.path);
		image.name.unit = NULL;
		if (!image.name.path || op_grow(&list.images, list.nr)) {
			free(image.name.path);
			op_path_images_release(&list);
			return -ENOMEM;
		}
		list.images[list.nr++] = image;
	}
	*ret = list;
	return 0;
}

static int open_frames(struct pp_source *source)
{
	const struct itv *v = &source->interval->v;

	if (!v->nr_trees)
		return -ENOENT;
	source->frames_end = FRAME_FIRST + v->nr_frames;
	source->generation = GENERATION;
	return 0;
}

static bool frame(const struct pp_source *source, uint32_t number, struct frame *ret)
{
	const struct itv *v = &source->interval->v;
	const struct itv_frame *from;

	if (number < FRAME_FIRST || number - FRAME_FIRST >= v->nr_frames)
		return false;
	from = &v->frames[number - FRAME_FIRST];
	*ret = (struct frame){ .offset = from->offset, .image = from->image, .how = from->how };
	return true;
}

static void close_frames(struct pp_source *source)
{
	(void)source;
}

static int open_paths(const struct pp_source *source, const struct pp_source_part *part,
		      struct pp_source_paths *ret)
{
	const struct itv_tree *tree = &source->interval->v.trees[part->item];

	*ret = (struct pp_source_paths){
		.source = source, .first = tree->node, .end = TREE_FIRST + tree->nr_nodes,
	};
	return 0;
}

static uint32_t frame_number(uint32_t number)
{
	switch (number) {
	case ITV_FRAME_FOLDED:
		return FRAME_FOLDED;
	case ITV_FRAME_LOST:
		return FRAME_LOST;
	default:
		return number - ITV_FRAME_FIRST + FRAME_FIRST;
	}
}

static bool node(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret)
{
	const struct pp_interval *interval = paths->source->interval;
	const uint32_t at = paths->first + number - TREE_FIRST;
	const struct itv_node *from;

	if (number < TREE_FIRST || number >= paths->end)
		return false;
	from = &interval->v.nodes[at];
	*ret = (struct tree_node){
		.parent = interval->parents[at], .frame = frame_number(from->frame),
		.count = from->count,
	};
	return true;
}

static void close_paths(struct pp_source_paths *paths)
{
	(void)paths;
}

static const struct pp_source_ops interval_ops = {
	.name = "interval",
	.close = close_interval,
	.addresses = addresses,
	.images = images,
	.frames_open = open_frames,
	.frame = frame,
	.frames_close = close_frames,
	.paths_open = open_paths,
	.node = node,
	.paths_close = close_paths,
};

/* A node whose children have not all been reached yet. */
struct level {
	uint32_t number;		/* number of this node in the tree */
	uint32_t left; /* number of children of the node that have not been reached yet */
};

/* Set the parents of the tree's nodes, which are in depth-first order. @levels: an array of at
 * least one element more than the tree has nodes. */
static void set_parents(uint32_t *parents, const struct itv *v, const struct itv_tree *tree,
			struct level *levels)
{
	uint32_t depth = 0;

	levels[0] = (struct level){ TREE_ROOT, tree->nr_roots };
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		while (depth && !levels[depth].left)
			depth--;
		levels[depth].left--;
		parents[tree->node + i] = levels[depth].number;
		levels[++depth] = (struct level){ TREE_FIRST + i,
						  v->nodes[tree->node + i].nr_children };
	}
}

static int find_parents(struct pp_interval *interval)
{
	const struct itv *v = &interval->v;
	uint32_t most = 0;
	struct level *levels;

	for (uint32_t i = 0; i < v->nr_trees; i++)
		most = v->trees[i].nr_nodes > most ? v->trees[i].nr_nodes : most;
	levels = calloc(most + 1ul, sizeof(*levels));
	interval->parents = calloc(v->nr_nodes + 1ul, sizeof(*interval->parents));
	for (uint32_t i = 0; levels && interval->parents && i < v->nr_trees; i++)
		set_parents(interval->parents, v, &v->trees[i], levels);
	free(levels);
	return levels && interval->parents ? 0 : -ENOMEM;
}

int pp_source_of_interval(struct pp_source **ret, const char *samples_dir, struct itv *v)
{
	struct pp_source *source = calloc(1, sizeof(*source));
	struct pp_interval *interval = calloc(1, sizeof(*interval));
	int err = source && interval ? 0 : -ENOMEM;

	if (!err) {
		source->path = strdup(samples_dir);
		err = source->path ? itv_versions_init(&interval->versions, v) : -ENOMEM;
	}
	if (!err) {
		interval->v = *v;
		err = find_parents(interval);
	}
	if (err) {
		if (interval) {
			itv_versions_release(&interval->versions);
			free(interval->parents);
		}
		free(interval);
		free(source ? source->path : NULL);
		free(source);
		return err;
	}
	source->ops = &interval_ops;
	source->interval = interval;
	*v = (struct itv){ .nr_images = 0 };
	*ret = source;
	return 0;
}

static int path_of(char **ret, const struct pp_interval *interval, bool is_tree, uint32_t item)
{
	const struct itv *v = &interval->v;

	return is_tree ? itv_tree_path(ret, v, &v->trees[item]) :
			 itv_group_path(ret, v, &v->groups[item], &interval->versions);
}

int pp_interval_each(const struct pp_source *source, bool trees,
		     int (*fn)(void *arg, const char *path, uint32_t item), void *arg)
{
	const struct itv *v = &source->interval->v;
	const uint32_t nr = trees ? v->nr_trees : v->nr_groups;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++) {
		char *path = NULL;

		err = path_of(&path, source->interval, trees, i);
		if (!err || err == -EINVAL)
			err = fn(arg, err ? NULL : path, i);
		free(path);
	}
	return err;
}
