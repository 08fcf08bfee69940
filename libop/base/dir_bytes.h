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

/* A sum over several directories. A zeroed struct is empty. */
struct op_dir_sum {
	uint64_t bytes;
	/* identities of the counted files that have several hard links */
	struct op_hash_table links;
	/* The directories of these device and inode numbers are watched: the bytes of the files in
	 * them, as the count saw them, are also in .watched_bytes. */
	struct {
		dev_t dev;
		ino_t ino;
	} watched[OP_DIR_WATCHED];
	uint64_t watched_bytes;
};

/* Add the bytes of the directory @dirfd and of everything below it. Return 0, or a negative errno,
 * after which the sum can only be released. -EAGAIN: directories were moved during the count. */
int op_dir_sum_add(struct op_dir_sum *sum, int dirfd);
void op_dir_sum_release(struct op_dir_sum *sum);

/* Set *@ret to the bytes of the directory @dirfd, as op_dir_sum_add() counts them. Return 0 or a
 * negative errno. */
int op_dir_bytes(int dirfd, uint64_t *ret);

#endif
