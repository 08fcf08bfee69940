// SPDX-License-Identifier: GPL-2.0-or-later
/* html_data.c -- the tree for the script: call paths, or programs, their images and symbols. */
#include "config.h"
#include "pp/format/html_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/json.h"
#include "pp/format/path_pick.h"

static void put_frames(struct op_json *json, const struct pp_path_names *names,
		       const uint32_t *nodes, size_t nr)
{
	op_json_begin_key(json, "frames", '[');
	for (size_t i = 0; i < nr; i++) {
		op_json_begin(json, '[');
		op_json_string(json, pp_path_name(names, names->paths->nodes[nodes[i]].place));
		op_json_uint(json, pp_path_colour(names, nodes[i]));
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

/* Store the samples of each picked node without those of picked nodes below it. Return 0 or
 * -ENOMEM. */
static int sum_picked(uint64_t **ret, const struct pp_path_names *names,
		      const struct pp_path_pick *pick)
{
	size_t nr = names->stacks.profile->nr_counts;
	uint64_t *counts = calloc(pick->nr * nr + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < pick->nr; i++)
		memcpy(&counts[i * nr], names->paths->nodes[pick->nodes[i]].total,
		       nr * sizeof(*counts));
	for (size_t i = 0; i < pick->nr; i++)
		for (size_t c = 0; c < nr && pick->parent[i] != i; c++)
			counts[pick->parent[i] * nr + c] -=
				names->paths->nodes[pick->nodes[i]].total[c];
	*ret = counts;
	return 0;
}

/* Nodes of one place and one colour share a frame. */
struct frames {
	uint32_t *of_node;	/* for each picked node: the number of its frame */
	uint32_t *example;	/* by frame: a node of the tree with it */
	size_t nr;
};

static int number_frames(struct frames *ret, const struct pp_path_names *names,
			 const struct pp_path_pick *pick)
{
	uint32_t *of_place = calloc(2 * names->paths->nr_places + 1, sizeof(*of_place));

	ret->of_node = calloc(pick->nr + 1, sizeof(*ret->of_node));
	ret->example = calloc(pick->nr + 1, sizeof(*ret->example));
	if (!of_place || !ret->of_node || !ret->example) {
		free(of_place);
		return -ENOMEM;
	}
	for (size_t i = 0; i < pick->nr; i++) {
		const struct pp_path_node *node = &names->paths->nodes[pick->nodes[i]];
		uint32_t *frame = &of_place[2 * node->place + node->by_pointer];

		if (!*frame) {
			ret->example[ret->nr] = pick->nodes[i];
			*frame = ++ret->nr;
		}
		ret->of_node[i] = *frame - 1;
	}
	free(of_place);
	return 0;
}

static void put(const struct pp_html *html, const struct pp_path_names *names,
		const struct pp_path_pick *pick, const struct frames *frames,
		const uint64_t *counts)
{
	const struct pp_classes *classes = &html->report->session->classes;
	size_t nr = html->profile->nr_counts;
	struct op_json json;
	char label[256];

	fputs("<script type=\"application/json\" id=data>", html->out);
	op_json_init(&json, html->out, 1);
	op_json_begin(&json, '{');
	op_json_begin_key(&json, "classes", '[');
	for (size_t i = 0; i < classes->nr; i++) {
		pp_class_label(label, sizeof(label), &classes->items[i]);
		op_json_string(&json, label);
	}
	op_json_end(&json, ']');
	op_json_begin_key(&json, "units", '[');
	for (size_t i = 0; i < classes->nr; i++)
		op_json_string(&json, pp_class_unit(&classes->items[i]));
	op_json_end(&json, ']');
	put_frames(&json, names, frames->example, frames->nr);
	op_json_begin_key(&json, "nodes", '[');
	for (size_t i = 0; i < pick->nr; i++) {
		op_json_begin(&json, '[');
		op_json_uint(&json, frames->of_node[i]);
		op_json_int(&json, pick->parent[i] == i ? -1 : (int64_t)pick->parent[i]);
		for (size_t c = 0; c < nr; c++)
			op_json_uint(&json, counts[i * nr + c]);
		op_json_end(&json, ']');
	}
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	fputs("</script>\n", html->out);
}

int pp_html_data(const struct pp_html *html)
{
	struct pp_path_names names;
	struct pp_path_pick pick = { 0 };
	struct frames frames = { 0 };
	uint64_t *counts = NULL;
	int err = pp_path_names_make(&names, html->report);

	if (err)
		return err;
	err = pp_path_pick_make(&pick, &names, PP_HTML_MAX_NODES);
	if (!err)
		err = sum_picked(&counts, &names, &pick);
	if (!err)
		err = number_frames(&frames, &names, &pick);
	if (!err)
		put(html, &names, &pick, &frames, counts);
	free(counts);
	free(frames.of_node);
	free(frames.example);
	pp_path_pick_release(&pick);
	pp_path_names_release(&names);
	return err;
}
