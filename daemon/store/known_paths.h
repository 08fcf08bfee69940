/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_paths.h -- cache from call paths to tree nodes, for all threads and trees.
 *
 * The key of an entry is the hash of a tree and of all frames from the outermost frame on. So one
 * lookup finds a node, instead of two lookups for each frame. Processes share entries: a compiler
 * that starts a thousand times has the same paths each time. Not thread-safe.
 *
 * Entries contain the hash instead of the frames. The hash has 64 bits and a random seed, so that
 * users cannot choose paths with equal hashes. A lookup finds a wrong node with a probability of
 * 2^-62.
 */
#ifndef OPD_KNOWN_PATHS_H
#define OPD_KNOWN_PATHS_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/record.h"

struct opd_known_paths;

/* The outermost part of a path's key. Nodes of a tree are valid as long as the tree's id is the
 * same. */
struct opd_known_root {
	uint64_t tree;		/* result of tree_id() */
	uint64_t kernel;	/* result of opd_kernel_generation() */
	uint32_t end;		/* reason why the path ends, as in opd_path.end */
};

/* The process of a path: memory without a file has a meaning only in its process. */
struct opd_known_process {
	pid_t tgid;
	uint32_t program;	/* value of opd_jit_program() for the process */
};

/* Create an empty cache. Return NULL if memory is short or there are no random numbers. */
struct opd_known_paths *opd_known_paths_create(void);
void opd_known_paths_destroy(struct opd_known_paths *k); /* @k may be NULL. */

/* Return the hash of a path without frames. */
uint64_t opd_known_paths_begin(const struct opd_known_paths *k, const struct opd_known_root *root);
/* Return the hash of the path with hash @hash to which @frame is added as the innermost frame, and
 * prefetch its entry. */
uint64_t opd_known_paths_enter(const struct opd_known_paths *k, uint64_t hash,
			       const struct opd_frame *frame,
			       const struct opd_known_process *process);

/* Return the node of the path with this hash, or 0 if the cache does not contain the path. */
uint32_t opd_known_paths_find(const struct opd_known_paths *k, uint64_t hash);
/* Store the node of a path. An older entry may be removed. */
void opd_known_paths_set(struct opd_known_paths *k, uint64_t hash, uint32_t node);

#endif
