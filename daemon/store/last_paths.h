/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_paths.h -- the last call paths of threads, with their nodes in a tree of call paths.
 *
 * Two consecutive paths of a thread have most frames in common. Paths are compared from the
 * outermost frame on, and the nodes of equal frames need no look-up. Not thread-safe.
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
	uint32_t node; /* node of the path that ends with this frame */
};

/* The nodes of a thread's last path are valid as long as all fields of its key are equal. */
struct opd_last_path_key {
	const struct tree *tree;
	/* values of opd_tree_files_generation() and opd_kernel_generation() */
	uint64_t trees, kernel;
	uint32_t program;	/* value of opd_jit_program() */
	pid_t tgid, tid;
	uint32_t end; /* opd_path.end */
};

struct opd_last_path {
	struct opd_last_path_key key;
	size_t nr, room; /* numbers of valid and of allocated elements in @steps */
	struct opd_last_step *steps; /* one step for each frame, the outermost frame first */
};

struct opd_last_paths;

/* Create an empty collection of last paths. Return NULL if memory is short. */
struct opd_last_paths *opd_last_paths_create(void);
void opd_last_paths_destroy(struct opd_last_paths *l); /* accepts NULL */

/* Return the entry of the thread in @key. The entry is empty (ret->nr is 0) if the thread's last
 * path has another key. */
struct opd_last_path *opd_last_paths_find(struct opd_last_paths *l,
					  const struct opd_last_path_key *key);

/* Return the number of frames, from the outermost one on, that @last and @path have in common.
 * @leaf is the innermost frame of @path; @path->frames does not contain it. */
size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf);

/* Set step @i and forget all later steps. Do nothing if step @i - 1 is not known or @i is too
 * large; without memory for step @i, only forget the later steps. */
void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node);

#endif
