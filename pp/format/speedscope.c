// SPDX-License-Identifier: GPL-2.0-or-later
/* speedscope.c -- the file format of speedscope.app: frames, and a list of stacks for each
 * event. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>

#include "pp/format/format.h"
#include "libop/base/json.h"
#include "pp/format/path_names.h"

struct speedscope {
	struct op_json json;
	const struct pp_report *report;
	struct pp_path_names names;
	struct pp_path_walk walk;
};

static void add_frames(struct speedscope *s)
{
	struct op_json *json = &s->json;

	op_json_begin_key(json, "shared", '{');
	op_json_begin_key(json, "frames", '[');
	for (size_t i = 0; i < s->names.paths->nr_places; i++) {
		const struct pp_code *code = pp_path_place_code(&s->names, i);

		op_json_begin(json, '{');
		op_json_add_string(json, "name", pp_path_name(&s->names, i));
		if (code && code->file) {
			op_json_add_string(json, "file", code->file);
			if (code->line)
				op_json_add_uint(json, "line", code->line);
		} else {
			op_json_add_string(json, "file", pp_path_place_path(&s->names, i));
		}
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
}

/* Return the next node whose counts at index @at are not 0, or NULL at the end. s->walk then has
 * the path to that node. */
static const struct pp_path_node *next_node(struct speedscope *s, size_t at)
{
	while (pp_path_walk_next(&s->walk)) {
		const struct pp_path_node *node =
			&s->names.paths->nodes[s->walk.nodes[s->walk.depth]];

		if (node->self && node->self[at])
			return node;
	}
	return NULL;
}

static void add_samples(struct speedscope *s, size_t at)
{
	uint64_t places[PP_PATH_MAX_DEPTH + 3];

	op_json_begin_key(&s->json, "samples", '[');
	pp_path_walk_begin(&s->walk, s->names.paths);
	while (next_node(s, at)) {
		for (size_t d = 1; d <= s->walk.depth; d++)
			places[d - 1] = s->names.paths->nodes[s->walk.nodes[d]].place;
		op_json_uints(&s->json, places, s->walk.depth);
	}
	op_json_end(&s->json, ']');
}

static void add_weights(struct speedscope *s, size_t at, uint64_t weight)
{
	const struct pp_path_node *node;

	op_json_begin_key(&s->json, "weights", '[');
	pp_path_walk_begin(&s->walk, s->names.paths);
	while ((node = next_node(s, at)))
		op_json_uint(&s->json, weight * node->self[at]);
	op_json_end(&s->json, ']');
}

static void add_profile(struct speedscope *s, size_t side, size_t class)
{
	const size_t at = pp_side_at(s->report, side) + class;
	const struct pp_class *about = &s->report->session->classes.items[class];
	struct op_json *json = &s->json;
	const char *unit;
	uint64_t weight = pp_class_weight(about, &unit), sum = 0;
	const struct pp_path_node *node;
	char label[256];

	pp_path_walk_begin(&s->walk, s->names.paths);
	while ((node = next_node(s, at)))
		sum += node->self[at];
	pp_side_label(label, sizeof(label), s->report, side, class);
	op_json_begin(json, '{');
	op_json_add_string(json, "type", "sampled");
	op_json_add_string(json, "name", pp_sums_label(label, sizeof(label)));
	op_json_add_string(json, "unit", *unit ? unit : "none");
	op_json_add_uint(json, "startValue", 0);
	op_json_add_uint(json, "endValue", weight * sum);
	add_samples(s, at);
	add_weights(s, at, weight);
	op_json_end(json, '}');
}

static int write_speedscope(const struct pp_report *report)
{
	struct speedscope *s = calloc(1, sizeof(*s));
	struct op_json *json;
	int err = s ? pp_path_names_make_significant(&s->names, report) : -ENOMEM;

	if (err) {
		free(s);
		return err;
	}
	s->report = report;
	json = &s->json;
	op_json_init(json, report->out, 3);
	op_json_begin(json, '{');
	op_json_add_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	op_json_add_string(json, "name", report->command);
	op_json_add_string(json, "exporter", PACKAGE_STRING);
	op_json_add_uint(json, "activeProfileIndex", 0);
	add_frames(s);
	op_json_begin_key(json, "profiles", '[');
	for (size_t class = 0; class < report->profile->nr_classes; class++)
		for (size_t side = 0; side < pp_nr_sides(report); side++)
			add_profile(s, side, class);
	op_json_end(json, ']');
	op_json_end(json, '}');
	pp_path_names_release(&s->names);
	free(s);
	return 0;
}

const struct pp_format_ops pp_format_speedscope = {
	.name = "speedscope",
	.what = "JSON for speedscope.app",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF | PP_FORMAT_PRUNES,
	.write = write_speedscope,
};
