/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_bytes.h -- the bytes that trees of directories use on the disk.
 *
 * A file with several links counts once in a sum. Files that disappear during the count are not
 * counted; no other error leaves files out. The number of descriptors does not depend on the depth
 * of a tree, which other users choose: it contains the paths of their programs.
 */
#ifndef OP_BASE_DIR_BYTES_H
#define OP_BASE_DIR_BYTES_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/base/hash.h"

#define OP_DIR_WATCHED	2

/* A directory; .ino is 0 if the directory is unknown. */
struct op_dir_id {
	dev_t dev;
	ino_t ino;
};

/* A sum over several directories. A zeroed struct is empty. */
struct op_dir_sum {
	uint64_t bytes;
	/* identities of the counted files that have several hard links */
	struct op_hash_table links;
	/* These directories are watched: the bytes of the files in them, as the count saw them, are
	 * also in .watched_bytes. */
	struct op_dir_id watched[OP_DIR_WATCHED];
	uint64_t watched_bytes;
	/* The bytes of this directory and of everything below it are also in .part_bytes. There,
	 * each link of a file counts. */
	struct op_dir_id part;
	uint64_t part_bytes;
};

/* Add the bytes of the directory @dirfd and of everything below it. Return 0, or a negative errno,
 * after which the sum can only be released. -EAGAIN: directories were moved during the count. */
int op_dir_sum_add(struct op_dir_sum *sum, int dirfd);
void op_dir_sum_release(struct op_dir_sum *sum);

/*
 * The same in steps, each of which counts a small number of entries. A file that is moved to
 * another directory between two steps may count twice, or not at all. @sum must stay where it is
 * until op_dir_walk_end(). op_dir_walk_begin() returns 0, or a negative errno without a walk.
 * op_dir_walk_step() returns 1 if there are more entries, 0 if the sum is complete, or a negative
 * errno as op_dir_sum_add().
 */
struct op_dir_walk;
int op_dir_walk_begin(struct op_dir_walk **ret, struct op_dir_sum *sum, int dirfd);
int op_dir_walk_step(struct op_dir_walk *w);
void op_dir_walk_end(struct op_dir_walk *w);	/* @w may be NULL */

/* Set *@ret to the bytes of the directory @dirfd, as op_dir_sum_add() counts them. Return 0 or a
 * negative errno. */
int op_dir_bytes(int dirfd, uint64_t *ret);

#endif
