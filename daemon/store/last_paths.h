/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_paths.h -- the last call paths of threads, with the tree nodes of their frames.
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
	uint32_t node; /* tree node of the path that ends with this frame */
};

/* The nodes of a thread's last path are valid as long as all fields of its key are equal. */
struct opd_last_path_key {
	const struct tree *tree;
	/* .trees: value of opd_tree_files_generation(); .kernel: value of
	 * opd_kernel_generation() */
	uint64_t trees, kernel;
	uint32_t program;	/* value of opd_jit_program() for the thread's process */
	pid_t tgid, tid;
	uint32_t end; /* reason for the end of the path, a value of opd_path.end */
};

struct opd_last_path {
	struct opd_last_path_key key;
	/* .nr: number of valid elements in .steps; .room: number of allocated elements */
	size_t nr, room;
	struct opd_last_step *steps; /* one element for each frame; the outermost frame is first */
};

struct opd_last_paths;

/* Create an empty collection of last paths. Return NULL if memory is short. */
struct opd_last_paths *opd_last_paths_create(void);
void opd_last_paths_destroy(struct opd_last_paths *l); /* @l may be NULL */

/* Return the entry of the thread in @key. The entry is empty (ret->nr is 0) if the thread's last
 * path has another key. */
struct opd_last_path *opd_last_paths_find(struct opd_last_paths *l,
					  const struct opd_last_path_key *key);

/* Return the number of frames, from the outermost one on, that @last and @path have in common.
 * @leaf is the innermost frame of @path; @path->frames does not contain it. */
size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf);

/* Set step @i and forget all later steps. Do nothing if step @i - 1 is not known or @i is too
 * large. If memory is short for step @i, only forget the later steps. */
void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node);

#endif
