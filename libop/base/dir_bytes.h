/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_bytes.h -- counting of the disk space that a directory and everything below it uses.
 *
 * A file with several hard links is counted once per sum. A file that disappears during the count
 * is not counted; any other error makes the whole count fail. The number of open descriptors does
 * not depend on the depth of a tree, because other users choose the depth: the tree contains the
 * paths of their programs.
 */
#ifndef OP_BASE_DIR_BYTES_H
#define OP_BASE_DIR_BYTES_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/base/hash.h"

#define OP_DIR_WATCHED	2

/* The identity of a directory; .ino is 0 if the directory is unknown. */
struct op_dir_id {
	dev_t dev;
	ino_t ino;
};

/* A sum over several directories, in bytes. A zeroed struct is empty. */
struct op_dir_sum {
	uint64_t bytes;
	/* files with several hard links that were already counted */
	struct op_hash_table links;
	/* Directories to watch. .watched_bytes: the number of bytes in .bytes that belong to files
	 * directly in these directories. */
	struct op_dir_id watched[OP_DIR_WATCHED];
	uint64_t watched_bytes;
	/* A directory with a separate sum. .part_bytes: number of bytes of this directory and of
	 * everything below it. Each hard link of a file counts. */
	struct op_dir_id part;
	uint64_t part_bytes;
};

/* Add to @sum the disk space of the directory @dirfd and of everything below it. Return 0 or a
 * negative errno; -EAGAIN: directories were moved during the count. After an error, @sum is invalid
 * and can only be released. */
int op_dir_sum_add(struct op_dir_sum *sum, int dirfd);
void op_dir_sum_release(struct op_dir_sum *sum);

/*
 * A walk does the same as op_dir_sum_add(), but in steps. Each step counts a small number of
 * directory entries. A file that is moved to another directory between two steps may be counted
 * twice, or not at all. @sum must stay valid until op_dir_walk_end(). op_dir_walk_begin() returns
 * 0, or a negative errno without a walk. op_dir_walk_step() returns 1 if there are more entries, 0
 * if the sum is complete, or a negative errno like op_dir_sum_add().
 */
struct op_dir_walk;
int op_dir_walk_begin(struct op_dir_walk **ret, struct op_dir_sum *sum, int dirfd);
int op_dir_walk_step(struct op_dir_walk *w);
void op_dir_walk_end(struct op_dir_walk *w);	/* End the walk and free @w, which may be NULL. */

/* Set *@ret to the disk space in bytes of the directory @dirfd and of everything below it. Return 0
 * or a negative errno. */
int op_dir_bytes(int dirfd, uint64_t *ret);

#endif
