// SPDX-License-Identifier: GPL-2.0-or-later
/* html_data.c -- the tree that the script draws: programs, their images, symbols in these. */
#include "config.h"
#include "pp/format/html_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/json.h"

#define NO_NODE	UINT32_MAX

enum colour { COLOUR_PROGRAM, COLOUR_USER, COLOUR_UNCOVERED, COLOUR_KERNEL };

struct node {
	uint32_t frame, parent;
};

struct graph {
	const struct pp_html *html;
	struct node *nodes;
	uint64_t *counts;	/* by node */
	size_t nr, max;
	uint32_t *frame_of;	/* by frame of the stacks: number in the page; NO_NODE: none yet */
	uint32_t *frames;	/* the other way round */
	size_t nr_frames;
	uint32_t *programs;	/* node by program */
	uint32_t *groups;	/* node by group */
};

static uint32_t add_node(struct graph *g, uint32_t frame, uint32_t parent)
{
	if (g->nr >= g->max)
		return NO_NODE;
	if (g->frame_of[frame] == NO_NODE) {
		g->frame_of[frame] = g->nr_frames;
		g->frames[g->nr_frames++] = frame;
	}
	g->nodes[g->nr] = (struct node){ g->frame_of[frame], parent };
	return g->nr++;
}

/* The node that gets an entry's samples: its own, or, when there are too many, the innermost one
 * around it that there is. */
static uint32_t node_of(struct graph *g, const struct pp_entry *entry)
{
	uint32_t frames[PP_MAX_STACK], node;
	unsigned int nr = pp_stack_of(&g->html->stacks, entry, frames);
	uint32_t *program = &g->programs[g->html->stacks.program_of[entry->group]];
	uint32_t *group = &g->groups[entry->group];
	uint32_t images = g->html->stacks.nr_programs + g->html->profile->nr_binaries;

	if (*program == NO_NODE)
		*program = add_node(g, frames[0], NO_NODE);
	if (*group == NO_NODE)
		*group = nr > 1 && frames[1] < images ? add_node(g, frames[1], *program) :
							*program;
	if (*group == NO_NODE)
		return *program;
	if (frames[nr - 1] < images)
		return *group;
	node = add_node(g, frames[nr - 1], *group);
	return node == NO_NODE ? *group : node;
}

static void fill(struct graph *g)
{
	const struct pp_profile *profile = g->html->profile;
	size_t classes = profile->nr_counts;

	/* Every program gets its node first, so that no sample has none. */
	for (size_t i = 0; i < profile->nr_entries; i++) {
		uint32_t program = g->html->stacks.program_of[profile->entries[i].group];

		if (g->programs[program] == NO_NODE &&
		    pp_html_largest_share(g->html, profile->entries[i].counts) > 0)
			g->programs[program] = add_node(g, program, NO_NODE);
	}
	g->max = g->nr + PP_HTML_MAX_NODES;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		uint32_t node;

		if (pp_html_largest_share(g->html, entry->counts) <= 0)
			continue;
		node = node_of(g, entry);
		for (size_t c = 0; c < classes; c++)
			g->counts[node * classes + c] += entry->counts[c];
	}
}

static enum colour colour_of(const struct pp_html *html, uint32_t frame)
{
	const struct pp_profile *profile = html->profile;
	struct pp_stack_frame info;
	uint32_t binary;

	pp_stack_frame(&html->stacks, frame, &info);
	if (info.kind == PP_STACK_PROGRAM)
		return COLOUR_PROGRAM;
	if (info.code && info.code->kind != PP_CODE_SYMBOL)
		return COLOUR_UNCOVERED;
	binary = info.code ? info.code->binary : frame - html->stacks.nr_programs;
	return profile->binaries[binary].name->kind == OP_IMAGE_KERN ? COLOUR_KERNEL : COLOUR_USER;
}

static void put(const struct graph *g)
{
	const struct pp_html *html = g->html;
	const struct pp_classes *classes = &html->report->session->classes;
	struct pp_stack_frame info;
	struct op_json json;
	char label[256];

	fputs("<script type=\"application/json\" id=data>", html->out);
	op_json_init(&json, html->out, 1);
	op_json_begin(&json, '{');
	op_json_key(&json, "classes");
	op_json_begin(&json, '[');
	for (size_t i = 0; i < classes->nr; i++) {
		pp_class_label(label, sizeof(label), &classes->items[i]);
		op_json_string(&json, label);
	}
	op_json_end(&json, ']');
	op_json_key(&json, "frames");
	op_json_begin(&json, '[');
	for (size_t i = 0; i < g->nr_frames; i++) {
		pp_stack_frame(&html->stacks, g->frames[i], &info);
		op_json_begin(&json, '[');
		op_json_string(&json, info.name);
		op_json_uint(&json, colour_of(html, g->frames[i]));
		op_json_end(&json, ']');
	}
	op_json_end(&json, ']');
	op_json_key(&json, "nodes");
	op_json_begin(&json, '[');
	for (size_t i = 0; i < g->nr; i++) {
		op_json_begin(&json, '[');
		op_json_uint(&json, g->nodes[i].frame);
		op_json_int(&json, g->nodes[i].parent == NO_NODE ? -1 : (int64_t)g->nodes[i].parent);
		for (size_t c = 0; c < html->profile->nr_counts; c++)
			op_json_uint(&json, g->counts[i * html->profile->nr_counts + c]);
		op_json_end(&json, ']');
	}
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	fputs("</script>\n", html->out);
}

int pp_html_data(const struct pp_html *html)
{
	const struct pp_profile *profile = html->profile;
	size_t max = html->stacks.nr_programs + PP_HTML_MAX_NODES;
	struct graph g = {
		.html = html,
		.max = max,
		.nodes = calloc(max, sizeof(*g.nodes)),
		.counts = calloc(max * profile->nr_counts, sizeof(*g.counts)),
		.frame_of = malloc((html->stacks.nr_frames + 1) * sizeof(*g.frame_of)),
		.frames = calloc(max, sizeof(*g.frames)),
		.programs = malloc((html->stacks.nr_programs + 1) * sizeof(*g.programs)),
		.groups = malloc((profile->nr_groups + 1) * sizeof(*g.groups)),
	};
	int err = 0;

	if (g.nodes && g.counts && g.frame_of && g.frames && g.programs && g.groups) {
		memset(g.frame_of, 0xff, html->stacks.nr_frames * sizeof(*g.frame_of));
		memset(g.programs, 0xff, html->stacks.nr_programs * sizeof(*g.programs));
		memset(g.groups, 0xff, profile->nr_groups * sizeof(*g.groups));
		fill(&g);
		put(&g);
	} else {
		err = -ENOMEM;
	}
	free(g.nodes);
	free(g.counts);
	free(g.frame_of);
	free(g.frames);
	free(g.programs);
	free(g.groups);
	return err;
}
