// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c -- makes the intervals of simulated hosts. */
#include "config.h"
#include "tests/fleet/made.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

#define NR_APPS		3
#define NR_FRAMES	8
#define NR_NODES	7	/* nodes of each tree */

static int make_image(struct itv_image *ret, const char *format, unsigned int number, bool has_unit)
{
	struct itv_image image = { .build_id_len = 20, .build_id = calloc(1, 20) };
	char path[60];

	snprintf(path, sizeof(path), format, number);
	image.image.name.path = strdup(path);
	snprintf(path, sizeof(path), "/system.slice/sim%u.service", number);
	image.image.name.unit = has_unit ? strdup(path) : NULL;
	if (image.build_id)
		image.build_id[0] = (uint8_t)number;
	*ret = image;
	return image.build_id && image.image.name.path && (image.image.name.unit || !has_unit) ? 0 :
												 -ENOMEM;
}

/* Add a tree of @v's program @app, and the group of its cells with the same sum. */
static int add_program(struct itv *v, uint32_t app, unsigned int number)
{
	/* the second level has two nodes, each with two children */
	static const uint32_t children[NR_NODES] = { 2, 2, 0, 0, 2, 0, 0 };
	const struct itv_tree tree = { .app = app, .node = v->nr_nodes, .tgid = OP_ALL, .tid = OP_ALL,
				       .cpu = OP_ALL, .nr_nodes = NR_NODES, .nr_roots = 1 };
	const struct itv_group group = { .app = app, .image = NR_APPS, .tgid = OP_ALL, .tid = OP_ALL,
					 .cpu = OP_ALL, .cell = v->nr_cells, .nr_cells = NR_NODES };

	for (uint32_t i = 0; i < NR_NODES; i++) {
		const uint64_t count = 1 + (number * 31 + app * 7 + i * 3) % 50 + number / 50;

		if (op_grow(&v->nodes, v->nr_nodes) || op_grow(&v->cells, v->nr_cells))
			return -ENOMEM;
		v->nodes[v->nr_nodes++] = (struct itv_node){
			.count = count, .nr_children = children[i],
			/* some stacks occur in few intervals only */
			.frame = ITV_FRAME_FIRST + (i + (i > 2 ? number % 3 : 0)) % NR_FRAMES,
		};
		v->cells[v->nr_cells++] = (struct itv_cell){ 0x1000 + 64 * i, count };
	}
	if (op_grow(&v->trees, v->nr_trees) || op_grow(&v->groups, v->nr_groups))
		return -ENOMEM;
	v->trees[v->nr_trees++] = tree;
	v->groups[v->nr_groups++] = group;
	return 0;
}

/* Make the images, the event and the frames. */
static int make_tables(struct itv *v)
{
	int err = 0;

	v->images = calloc(NR_APPS + 1, sizeof(*v->images));
	v->events = calloc(1, sizeof(*v->events));
	v->frames = calloc(NR_FRAMES, sizeof(*v->frames));
	if (!v->images || !v->events || !v->frames)
		return -ENOMEM;
	v->nr_images = NR_APPS + 1;
	v->nr_events = 1;
	v->nr_frames = NR_FRAMES;
	for (uint32_t i = 0; i < NR_APPS && !err; i++)
		err = make_image(&v->images[i], "/nonexistent/bin/sim%u", i, true);
	if (!err)
		err = make_image(&v->images[NR_APPS], "/nonexistent/lib/libsim%u.so", NR_APPS, false);
	v->events[0] = (struct itv_event){ .name = strdup("TIMER"), .count = 1000000 };
	for (uint32_t i = 0; i < NR_FRAMES; i++)
		v->frames[i] = (struct itv_frame){ .image = NR_APPS + 1, .offset = 0x1000 + 64 * i };
	return err || v->events[0].name ? err : -ENOMEM;
}

int fleet_make_interval(struct itv *ret, unsigned int number, bool is_empty,
			const struct itv_entry *entry)
{
	struct itv v = { .nr_images = 0 };
	int err = make_tables(&v);

	for (uint32_t i = 0; i < NR_APPS && !is_empty && !err; i++)
		err = add_program(&v, i, number);
	if (!err)
		err = itv_sort(&v);
	if (!err)
		err = itv_sum(&v);
	v.accounting.begun_ns = entry->begin * 1000000000;
	v.accounting.ended_ns = entry->end * 1000000000;
	v.accounting.about.begun = entry->begin;
	v.accounting.about.ended = entry->end;
	if (err)
		itv_release(&v);
	else
		*ret = v;
	return err;
}
