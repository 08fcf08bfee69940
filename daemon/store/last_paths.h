/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_paths.h -- cache of the last call path of each thread, with the tree node of each frame.
 *
 * Two successive paths of a thread have most frames in common. For these common frames, no tree
 * nodes need to be looked up. Not thread-safe.
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
	/* hash of the path from the root to this frame, as in known_paths.h */
	uint64_t hash;
	/* tree node that represents the path from the root to this frame; 0: not looked up */
	uint32_t node;
};

/* The key of a cached call path. The path's nodes are valid only if all members of the key are
 * equal. */
struct opd_last_path_key {
	const struct tree *tree;
	/* .trees: result of opd_tree_files_generation(); .kernel: result of
	 * opd_kernel_generation() */
	uint64_t trees, kernel;
	uint32_t program;	/* value of opd_jit_program() for the process */
	pid_t tgid, tid;
	uint32_t end; /* reason why the path ends, as in opd_path.end */
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

/* Return the number of outermost frames that are equal in @last and @path. @leaf is the innermost
 * frame of @path, which @path->frames does not contain. */
size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf);

/* Set frame number @i of the cached path to @frame and its tree node, and remove all later frames.
 * Do nothing if frame @i - 1 is not cached, or if @i is too large. If memory is short, only remove
 * the later frames. */
void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node);

#endif
