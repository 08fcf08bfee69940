// SPDX-License-Identifier: GPL-2.0-or-later
/* json_paths.c -- places, and nodes that refer to them and to their parents by index. */
#include "config.h"
#include "pp/format/json_paths.h"

#include "pp/format/path_names.h"

static void put_place(struct op_json *json, const struct pp_path_names *names, uint32_t index, uint8_t *used)
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

int pp_json_paths(struct op_json *json, const struct pp_report *report, uint8_t *used)
{
	const struct pp_profile *profile = report->profile;
	struct pp_path_names names;
	int err = pp_path_names_make(&names, report);

	if (err)
		return err;
	op_json_begin_key(json, "paths", '{');
	op_json_begin_key(json, "places", '[');
	for (size_t i = 0; i < names.paths->nr_places; i++)
		put_place(json, &names, i, used);
	op_json_end(json, ']');
	op_json_begin_key(json, "nodes", '[');
	for (size_t i = 0; i < names.paths->nr_nodes; i++) {
		const struct pp_path_node *node = &names.paths->nodes[i];

		op_json_begin(json, '{');
		if (i != PP_PATH_ROOT)
			op_json_add_uint(json, "parent", node->parent);
		op_json_add_uint(json, "place", node->place);
		if (node->self) {
			op_json_key(json, "counts");
			op_json_uints(json, node->self, profile->nr_classes);
		}
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
	pp_path_names_release(&names);
	return 0;
}
