// SPDX-License-Identifier: GPL-2.0-or-later
/* arcs.c -- arcs between functions, and between addresses, from call paths. */
#include "config.h"
#include "pp/paths/arcs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/profile/arcs.h"
#include "pp/session/trees.h"

struct collector {
	struct pp_profile *profile;
	/* for each node of the tree: number of calls; NULL: calls were not counted */
	uint64_t *calls;
	bool libs_merged;
	struct pp_loose_arc *arcs;
	size_t nr;
};

static int compare_groups(const struct pp_group *x, const char *image, const char *app)
{
	int d = strcmp(x->image, image);

	return d ? d : strcmp(x->app, app);
}

/* Find the group that has the samples of the program @app in the binary of @code. Each binary in
 * the call paths of a program has such a group. */
static bool find_group(const struct collector *c, uint32_t code, const char *app, uint32_t *ret)
{
	const struct pp_profile *profile = c->profile;
	const char *image = profile->binaries[profile->codes[code].binary].title;
	size_t low = 0, high = profile->nr_groups;

	if (c->libs_merged)
		app = image;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int d = compare_groups(&profile->groups[middle], image, app);

		if (!d) {
			*ret = middle;
			return true;
		}
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Return the nearest ancestor of @node whose function was called by a call instruction, not inlined
 * into another function. Return the root if the caller is unknown. */
static uint32_t caller_of(const struct pp_paths *paths, uint32_t node)
{
	do
		node = paths->nodes[node].parent;
	while (pp_path_place(paths, node)->kind == PP_PLACE_INLINED);
	return pp_path_place(paths, node)->kind == PP_PLACE_CODE ? node : PP_PATH_ROOT;
}

/* Return whether the path from the root to @caller already contains a call from the function of
 * @caller to the function of @callee. */
static bool has_outer_call(const struct pp_paths *paths, uint32_t caller, uint32_t callee)
{
	uint32_t from = paths->nodes[caller].place, to = paths->nodes[callee].place, node = caller;

	while (node != PP_PATH_ROOT) {
		uint32_t above = caller_of(paths, node);

		if (above != PP_PATH_ROOT && paths->nodes[node].place == to &&
		    paths->nodes[above].place == from)
			return true;
		/* The caller of this frame is unknown, but the same call may be nearer to the root.
		 * Continue with the parent of the frame. */
		node = above != PP_PATH_ROOT ? above : paths->nodes[node].parent;
	}
	return false;
}

static const char *app_of(const struct pp_paths *paths, uint32_t node)
{
	while (paths->nodes[node].depth > 1)
		node = paths->nodes[node].parent;
	return pp_path_place(paths, node)->name;
}

static int add_count(struct collector *c, struct pp_loose_arc *arc, uint32_t class, uint64_t count)
{
	if (!count)
		return 0;
	if (op_grow(&c->arcs, c->nr))
		return -ENOMEM;
	arc->class = class;
	arc->count = count;
	c->arcs[c->nr++] = *arc;
	return 0;
}

/* Add the arc from @caller to @callee. @is_inner: the path has a call between the same functions
 * nearer to the root. The samples were added with that call, so add only the number of calls. */
static int add_arc(struct collector *c, uint32_t caller, uint32_t callee, bool is_inner)
{
	const struct pp_paths *paths = c->profile->paths;
	struct pp_loose_arc arc = {
		.caller.code = pp_path_place(paths, caller)->code,
		.callee.code = pp_path_place(paths, callee)->code,
	};
	const uint64_t *counts = paths->nodes[callee].total;
	const char *app = app_of(paths, callee);
	int err = 0;

	if (!find_group(c, arc.caller.code, app, &arc.caller.group) ||
	    !find_group(c, arc.callee.code, app, &arc.callee.group))
		return 0;
	for (uint32_t class = 0; class < c->profile->nr_classes && !err; class++)
		if (class == c->profile->calls)
			err = add_count(c, &arc, class, c->calls[callee]);
		else if (!is_inner)
			err = add_count(c, &arc, class, counts[class]);
	return err;
}

/* For each node, sum the calls that end in the function of the node or in functions inlined into
 * that function. */
static int find_calls(struct collector *c)
{
	const struct pp_paths *paths = c->profile->paths;
	size_t class = c->profile->calls;

	if (class == c->profile->nr_classes)
		return 0;
	c->calls = calloc(paths->nr_nodes, sizeof(*c->calls));
	if (!c->calls)
		return -ENOMEM;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		uint32_t in = i;

		while (pp_path_place(paths, in)->kind == PP_PLACE_INLINED)
			in = paths->nodes[in].parent;
		if (paths->nodes[i].self)
			c->calls[in] += paths->nodes[i].self[class];
	}
	return 0;
}

int pp_path_arcs_make(struct pp_profile *profile, bool libs_merged)
{
	struct collector c = { .profile = profile, .libs_merged = libs_merged };
	const struct pp_paths *paths = profile->paths;
	int err = find_calls(&c);

	for (uint32_t i = 1; i < paths->nr_nodes && !err; i++) {
		uint32_t caller;
		bool is_inner;

		if (pp_path_place(paths, i)->kind != PP_PLACE_CODE ||
		    pp_path_place(paths, i)->unwanted)
			continue;
		caller = caller_of(paths, i);
		if (caller == PP_PATH_ROOT || pp_path_place(paths, caller)->unwanted)
			continue;
		is_inner = has_outer_call(paths, caller, i);
		if (!is_inner || c.calls)
			err = add_arc(&c, caller, i, is_inner);
	}
	if (!err)
		err = pp_arcs_make(profile, c.arcs, c.nr);
	free(c.calls);
	free(c.arcs);
	return err;
}

/* Sums of arcs between addresses, from trees of call paths. */

/* A node of the tree of call paths that is being read. */
struct node {
	/* samples of the node and its descendants that the options select */
	uint64_t total;
	uint32_t parent;
	uint32_t code;			/* code (function) of the node; PP_NO_CODE: unknown */
	const struct pp_path_frame *frame;
	bool has_path;			/* the path from the node to the root is complete */
};

struct reader {
	struct pp_tree_arcs *to;
	const struct pp_session *session;
	const struct pp_path_sources *sources;
	const struct pp_frame_places *places;
	/* The members below describe the tree that is being read. */
	const struct pp_sample_file *file;
	struct pp_tree_wants wants;
	struct node *nodes;
	uint32_t end;
	struct pp_tree_arc *arcs;
	size_t nr;
};

static uint32_t code_of(const struct reader *r, const struct pp_path_frame *frame)
{
	if (!frame || !frame->nr_places)
		return PP_NO_CODE;
	return r->places->places[r->places->chain[frame->place]].code;
}

/* Return 1 if the options select the samples of @node, else 0 or -ENOMEM. If the function of the
 * node is unknown, its image is unknown, too. */
static int is_wanted(struct reader *r, const struct node *node)
{
	return pp_tree_wants_image(&r->wants, node->code == PP_NO_CODE ? OP_PATH_IMAGES_MAX
								       : node->frame->image);
}

static int read_nodes(struct reader *r, const struct pp_source_paths *paths)
{
	struct tree_node from;

	r->nodes[TREE_ROOT].code = PP_NO_CODE;
	r->nodes[TREE_ROOT].has_path = true;
	for (uint32_t i = TREE_FIRST; i < r->end; i++) {
		struct node *node = &r->nodes[i];
		int wanted;

		node->code = PP_NO_CODE;
		if (!paths->source->ops->node(paths, i, &from))
			continue;
		node->parent = from.parent;
		node->has_path = r->nodes[from.parent].has_path;
		if (node->has_path) {
			node->frame = pp_path_frame_find(r->sources, r->file->session, from.frame);
			node->code = code_of(r, node->frame);
		}
		wanted = is_wanted(r, node);
		if (wanted < 0)
			return wanted;
		if (wanted)
			node->total = from.count;
	}
	for (uint32_t i = r->end; i-- > TREE_FIRST;)
		if (r->nodes[i].parent != TREE_ROOT)
			r->nodes[r->nodes[i].parent].total += r->nodes[i].total;
	return 0;
}

/* Return whether the path from the root to @node already contains a call from the function @caller
 * to the function @callee. */
static bool is_repeated(const struct reader *r, uint32_t node, uint32_t caller, uint32_t callee)
{
	for (; node != TREE_ROOT; node = r->nodes[node].parent)
		if (r->nodes[node].code == callee && r->nodes[r->nodes[node].parent].code == caller)
			return true;
	return false;
}

static int add_tree_arc(struct reader *r, uint32_t i)
{
	const struct node *callee = &r->nodes[i], *caller = &r->nodes[callee->parent];
	uint64_t from;

	if (!callee->total || callee->code == PP_NO_CODE || caller->code == PP_NO_CODE ||
	    is_repeated(r, callee->parent, caller->code, callee->code))
		return 0;
	from = caller->frame->offset + !caller->frame->is_last;
	if (from > UINT32_MAX || callee->frame->offset > UINT32_MAX) {
		r->to->too_far += callee->total;
		return 0;
	}
	if (op_grow(&r->arcs, r->nr))
		return -ENOMEM;
	r->arcs[r->nr++] = (struct pp_tree_arc){
		.caller = caller->frame->image,
		.callee = callee->frame->image,
		.from = (uint32_t)from,
		.to = (uint32_t)callee->frame->offset,
		.count = callee->total,
	};
	return 0;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct pp_tree_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Merge arcs with the same caller and callee addresses, and sum their samples. */
static void add_up(struct reader *r)
{
	size_t kept = 0;

	if (r->nr)
		qsort(r->arcs, r->nr, sizeof(*r->arcs), compare_arcs);
	for (size_t i = 0; i < r->nr; i++) {
		if (kept && !compare_arcs(&r->arcs[kept - 1], &r->arcs[i]))
			r->arcs[kept - 1].count += r->arcs[i].count;
		else
			r->arcs[kept++] = r->arcs[i];
	}
	r->nr = kept;
}

static int read_tree(struct reader *r, const struct pp_source_paths *paths)
{
	int err = pp_tree_wants_init(&r->wants, r->session, r->file);

	r->end = paths->end;
	r->nodes = calloc(r->end, sizeof(*r->nodes));
	if (!r->nodes)
		err = -ENOMEM;
	if (!err)
		err = read_nodes(r, paths);
	for (uint32_t i = TREE_FIRST; i < r->end && !err; i++)
		err = add_tree_arc(r, i);
	if (!err)
		add_up(r);
	if (!err && r->nr)
		err = r->to->take(r->to->context, r->file, r->arcs, r->nr);
	pp_tree_wants_release(&r->wants);
	free(r->nodes);
	free(r->arcs);
	r->nodes = NULL;
	r->arcs = NULL;
	r->nr = 0;
	return err;
}

int pp_tree_arcs_each(struct pp_tree_arcs *to, const struct pp_session *session,
		      const struct pp_path_sources *sources, const struct pp_frame_places *places)
{
	struct reader r = { .to = to, .session = session, .sources = sources, .places = places };
	const struct pp_files *files = &session->files;
	int err = 0;

	for (size_t i = 0; i < files->nr_trees && !err; i++) {
		struct pp_source_paths paths;

		r.file = &files->trees[i];
		if (!sources->sources[r.file->session].generation)
			continue;
		err = pp_path_file_open(&paths, session, r.file);
		if (err) {
			err = err == -ENOMEM ? err : 0;
			continue;
		}
		err = read_tree(&r, &paths);
		paths.source->ops->paths_close(&paths);
	}
	return err;
}
