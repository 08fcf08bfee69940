/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- call paths from which a test can detect errors: the offset of each frame is computed
 * from its caller's offset and the callee's index.
 */
#ifndef TESTS_UNIT_PATHS_H
#define TESTS_UNIT_PATHS_H

#include "tests/unit/check.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "libdb/frames.h"
#include "libdb/tree.h"

#define PATHS_WAYS 5	/* number of callees of each frame */
#define PATHS_DEPTH 12

static inline uint64_t paths_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline struct frame paths_frame(uint64_t above, uint32_t way)
{
	uint64_t offset = paths_mix(above * 31 + way + 1);

	return (struct frame){ .offset = offset, .image = way + 1, .how = offset & 1 };
}

/*
 * Add the @n-th path of a sequence of paths with common prefixes, with a count of 1. Return 0, or
 * the error of the failed call.
 */
static inline int paths_add(struct frames *f, struct tree *t, uint64_t n)
{
	uint64_t random = paths_mix(n / 2 + 1), above = 0;
	uint32_t depth = 1 + (random >> 58) % PATHS_DEPTH, node = TREE_ROOT, number;

	for (uint32_t i = 0; i < depth; i++, random /= PATHS_WAYS) {
		struct frame frame = paths_frame(above, random % PATHS_WAYS);
		int err = frames_number(f, &frame, &number);

		if (!err)
			err = tree_child(t, node, number, &node);
		if (err)
			return err;
		above = frame.offset;
	}
	return tree_add(t, node, 1);
}

struct paths_seen {
	/*
	 * sum of the counts of all nodes that are not orphans; includes nodes below unknown frames
	 */
	uint64_t count;
	uint32_t nodes, orphans, unknown;
	uint64_t orphan_count;
	/* number of paths in the tree that were never added, which must be 0 */
	uint32_t wrong;
};

static inline void paths_check(const struct tree *t, const struct frames *f, struct paths_seen *seen)
{
	uint32_t end = tree_end(t);
	uint64_t *offset = calloc(end, sizeof(*offset));
	/*
	 * state[i] of frame i: 0: not examined; 1: a known path; 2: a path through a missing frame
	 */
	uint8_t *state = calloc(end, 1);
	struct tree_node node;
	struct frame frame;

	assert_true(offset && state);
	*seen = (struct paths_seen){ 0 };
	state[TREE_ROOT] = 1;
	for (uint32_t i = TREE_FIRST; i < end; i++) {
		bool right = false;

		if (!tree_node(t, i, &node))
			continue;
		if (!state[node.parent]) {
			seen->orphans++;
			seen->orphan_count += node.count;
			continue;
		}
		seen->count += node.count;
		seen->nodes++;
		state[i] = state[node.parent];
		if (node.frame < FRAME_FIRST) {
			seen->wrong += node.frame != FRAME_FOLDED && node.frame != FRAME_LOST;
			continue;
		}
		if (!frames_get(f, node.frame, &frame)) {
			seen->unknown++;
			state[i] = 2;
			continue;
		}
		offset[i] = frame.offset;
		for (uint32_t way = 0; way < PATHS_WAYS && state[i] == 1; way++) {
			struct frame expected = paths_frame(offset[node.parent], way);

			right |= expected.offset == frame.offset &&
				 expected.image == frame.image && expected.how == frame.how;
		}
		seen->wrong += state[i] == 1 && !right;
	}
	free(offset);
	free(state);
}

static inline int paths_memfd(const void *bytes, size_t len)
{
	int fd = memfd_create("paths", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	return fd;
}

#endif
