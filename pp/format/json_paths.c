// SPDX-License-Identifier: GPL-2.0-or-later
/* json_paths.c -- places, and nodes with the indices of their place and parent. */
#include "config.h"
#include "pp/format/json_paths.h"

#include <errno.h>
#include <stdlib.h>

#include "pp/format/path_names.h"

static void put_place(struct op_json *json, const struct pp_path_names *names, uint32_t index,
		      uint8_t *used)
{
	static const char *const kinds[] = {
		[PP_PLACE_ROOT] = "root", [PP_PLACE_PROGRAM] = "program", [PP_PLACE_IMAGE] = "image",
		[PP_PLACE_CODE] = "symbol", [PP_PLACE_INLINED] = "inlined", [PP_PLACE_SHORT] = "short",
		[PP_PLACE_FOLDED] = "folded", [PP_PLACE_LOST] = "lost", [PP_PLACE_UNKNOWN] = "unknown",
		[PP_PLACE_TOO_DEEP] = "too deep", [PP_PLACE_NO_PATH] = "no path",
	};
	const struct pp_place *place = &names->paths->places[index];

	op_json_begin(json, '{');
	op_json_add_string(json, "name", pp_path_name(names, index));
	op_json_add_string(json, "kind", kinds[place->kind]);
	if (place->kind == PP_PLACE_CODE || place->kind == PP_PLACE_INLINED) {
		op_json_add_uint(json, "symbol", place->code);
		used[place->code] = 1;
	}
	op_json_end(json, '}');
}

void pp_json_task(struct op_json *json, const struct pp_walk_task *task)
{
	if (task->tgid != OP_ALL)
		op_json_add_uint(json, "pid", task->tgid);
	if (task->tid != OP_ALL)
		op_json_add_uint(json, "tid", task->tid);
	if (task->name)
		op_json_add_string(json, "task", task->name);
}

struct writer {
	struct op_json *json;
	const struct pp_walk *walk;
	const struct pp_paths *paths;
	uint32_t *numbers;	/* by node: the node's number in the task's list */
	uint32_t nr;		/* numbers assigned so far */
	uint64_t *counts;	/* by column */
};

static void put_node(struct writer *w, const struct pp_path_node *node, size_t task)
{
	struct op_json *json = w->json;

	op_json_begin(json, '{');
	if (node != &w->paths->nodes[PP_PATH_ROOT])
		op_json_add_uint(json, "parent", w->numbers[node->parent]);
	op_json_add_uint(json, "place", node->place);
	if (node->depth == 1)
		pp_json_task(json, &w->walk->tasks[task]);
	if (node->self && pp_walk_task_counts(w->walk, task, node->self, w->counts)) {
		op_json_key(json, "counts");
		op_json_uints(json, w->counts, w->walk->nr_columns);
	}
	op_json_end(json, '}');
}

/* Write separate nodes for each process and thread, because a column does not identify them. */
static void put_nodes(struct writer *w)
{
	for (size_t task = 0; task < w->walk->nr_tasks; task++) {
		for (size_t i = 0; i < w->paths->nr_nodes; i++) {
			const struct pp_path_node *node = &w->paths->nodes[i];

			if (i == PP_PATH_ROOT
				    ? task
				    : !pp_walk_task_counts(w->walk, task, node->total, w->counts))
				continue;
			w->numbers[i] = w->nr++;
			put_node(w, node, task);
		}
	}
}

int pp_json_paths(struct op_json *json, const struct pp_walk *walk, uint8_t *used)
{
	struct pp_path_names names;
	struct writer writer = { .json = json, .walk = walk };
	int err = pp_path_names_make(&names, walk->report);

	if (err)
		return err;
	writer.paths = names.paths;
	writer.numbers = calloc(names.paths->nr_nodes + 1, sizeof(*writer.numbers));
	writer.counts = calloc(2 * walk->nr_columns, sizeof(*writer.counts));
	if (writer.numbers && writer.counts) {
		op_json_begin_key(json, "paths", '{');
		op_json_begin_key(json, "places", '[');
		for (size_t i = 0; i < names.paths->nr_places; i++)
			put_place(json, &names, i, used);
		op_json_end(json, ']');
		op_json_begin_key(json, "nodes", '[');
		put_nodes(&writer);
		op_json_end(json, ']');
		op_json_end(json, '}');
	} else {
		err = -ENOMEM;
	}
	free(writer.numbers);
	free(writer.counts);
	pp_path_names_release(&names);
	return err;
}
