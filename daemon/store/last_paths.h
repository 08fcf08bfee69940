/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_paths.h -- cache of the last call path of each thread, with the tree node of each frame.
 *
 * Two successive paths of a thread have most frames in common. The common outermost frames need no
 * lookup of their nodes. Not thread-safe.
 */
#ifndef OPD_LAST_PATHS_H
#define OPD_LAST_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/record.h"

struct tree;

struct opd_last_step {
	struct opd_frame frame;
	uint32_t node; /* tree node of the path from the root to this frame */
};

/* Key of a cached path. Its nodes are valid only if all members are equal. */
struct opd_last_path_key {
	const struct tree *tree;
	/* .trees: opd_tree_files_generation(); .kernel: opd_kernel_generation() */
	uint64_t trees, kernel;
	uint32_t program;	/* opd_jit_program() of the process */
	pid_t tgid, tid;
	uint32_t end; /* end reason of the path, as opd_path.end */
};

struct opd_last_path {
	struct opd_last_path_key key;
	/* number of used, and of allocated, elements of .steps */
	size_t nr, room;
	struct opd_last_step *steps; /* one element per frame, the outermost frame first */
};

struct opd_last_paths;

/* Create an empty cache. Return NULL if memory is short. */
struct opd_last_paths *opd_last_paths_create(void);
void opd_last_paths_destroy(struct opd_last_paths *l); /* @l may be NULL. */

/* Return the entry of the thread in @key. The entry is empty (.nr is 0) if the thread's cached
 * path has a different key. */
struct opd_last_path *opd_last_paths_find(struct opd_last_paths *l,
					  const struct opd_last_path_key *key);

/* Return the number of equal outermost frames of @last and @path. @leaf is the innermost frame of
 * @path, which @path->frames does not contain. */
size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf);

/* Set step @i of the cached path: the frame @frame and its tree node. Remove all later steps. Do
 * nothing if step @i - 1 is not cached or if @i is too large. If memory is short, only remove the
 * later steps. */
void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node);

#endif
