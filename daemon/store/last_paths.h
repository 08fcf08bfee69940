/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_paths.h -- the last paths of threads, with their nodes.
 *
 * Two consecutive paths of a thread have most frames in common. Paths are compared from the
 * outermost frame on, and the nodes of equal frames need no look-up. Calls must not overlap.
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
	uint32_t node; /* the path's node if this frame is its innermost one */
};

/* The nodes of a path are valid as long as all fields of its key are equal. */
struct opd_last_path_key {
	const struct tree *tree;
	uint64_t trees, kernel; /* opd_tree_files_generation(), opd_kernel_generation() */
	uint32_t program;	/* opd_jit_program() */
	pid_t tgid, tid;
	uint32_t end; /* opd_path.end */
};

struct opd_last_path {
	struct opd_last_path_key key;
	size_t nr, room; /* of @steps: known, and allocated */
	struct opd_last_step *steps; /* the outermost frame first */
};

struct opd_last_paths;

/* Return NULL if memory is short. */
struct opd_last_paths *opd_last_paths_create(void);
void opd_last_paths_destroy(struct opd_last_paths *l); /* accepts NULL */

/* Return the entry of @key. It is empty (ret->nr is 0) if the last path has another key. */
struct opd_last_path *opd_last_paths_find(struct opd_last_paths *l,
					  const struct opd_last_path_key *key);

/* Return the number of frames, from the outermost one on, that @last and @path have in common.
 * @leaf is the innermost frame of @path; @path->frames does not contain it. */
size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf);

/* Set step @i and forget the steps after it. Does nothing if step @i - 1 is not known, or if @i is
 * too large; only forgets the steps if memory is short. */
void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node);

#endif
