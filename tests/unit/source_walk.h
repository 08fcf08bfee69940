/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_walk.h -- reads all data of a struct pp_source, and checks the invariants of every source.
 */
#ifndef TESTS_UNIT_SOURCE_WALK_H
#define TESTS_UNIT_SOURCE_WALK_H

#include "pp/source/memory.h"

static inline int walk_begin_part(void *arg, const struct pp_source_facts *facts)
{
	(void)arg;
	(void)facts;
	return 0;
}

static inline int walk_add(void *arg, uint64_t key, uint64_t count)
{
	(void)key;
	*(uint64_t *)arg += count;
	return 0;
}

static inline uint64_t walk_addresses(const struct pp_source *source, uint32_t class)
{
	uint64_t sum = 0;

	for (uint32_t binary = 0; binary < source->nr_binaries; binary++) {
		const struct pp_source_part part = { .class = class, .binary = binary };
		struct pp_source_taker taker = { walk_begin_part, walk_add, &sum, false };
		uint64_t before = sum;

		if (source->ops->addresses(source, &part, &taker) ||
		    pp_memory_has(source, class, binary) != (sum > before))
			return UINT64_MAX;
	}
	return sum;
}

/*
 * Return the sum of the samples of @class in all paths, or UINT64_MAX if the source reports an
 * impossible value.
 */
static inline uint64_t walk_paths(const struct pp_source *source, uint32_t class)
{
	const struct pp_source_part part = { .class = class };
	struct pp_source_paths paths;
	uint64_t sum = 0;

	if (source->ops->paths_open(source, &part, &paths))
		return UINT64_MAX;
	for (uint32_t i = TREE_FIRST; i < paths.end; i++) {
		struct tree_node node;
		struct frame frame;

		if (!source->ops->node(&paths, i, &node) || (node.parent && node.parent < TREE_FIRST) ||
		    node.parent >= i || !source->ops->frame(source, node.frame, &frame) ||
		    (frame.how != PP_SOURCE_CALLER_UNKNOWN && frame.image - 1 >= source->nr_binaries))
			return UINT64_MAX;
		sum += node.count;
	}
	source->ops->paths_close(&paths);
	return sum;
}

/* Check that each class has the same sum of samples by address and, if there are paths, by path. */
static inline bool walk_source(struct pp_source *source)
{
	bool fine = !source->ops->frames_open(source);

	for (uint32_t class = 0; class < source->nr_classes && fine; class++) {
		uint64_t sum = walk_addresses(source, class);

		fine = sum != UINT64_MAX && (!source->has_paths || walk_paths(source, class) == sum);
	}
	source->ops->frames_close(source);
	return fine;
}

#endif
