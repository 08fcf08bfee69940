/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_ids.h -- which build of each binary was profiled, kept with the samples: reports find
 * separate debug files by it, and notice that a binary has been replaced since.
 *
 * On disk (OP_BUILD_IDS_FILE in a samples directory, replaced atomically), text: lines
 * "HEX PATH". A path that was several files during the session has several lines. A path with a
 * newline in it cannot be told and is left out.
 */
#ifndef OP_BUILD_IDS_H
#define OP_BUILD_IDS_H

#include <stddef.h>
#include <stdint.h>

#define OP_BUILD_IDS_FILE	"build-ids"
#define OP_BUILD_ID_MAX		20	/* bytes */

struct op_build_id {
	char *path;
	uint8_t id[OP_BUILD_ID_MAX];
	size_t len;			/* 1 .. OP_BUILD_ID_MAX */
};

/* Zeroed is empty. Sorted by path, then by id, without doubles. */
struct op_build_ids {
	struct op_build_id *ids;
	size_t nr;
};

/* All functions: 0 or negative errno. -EINVAL: @len out of range, or a path that cannot be told. */
int op_build_ids_add(struct op_build_ids *b, const char *path, const uint8_t *id, size_t len);
int op_build_ids_write(const struct op_build_ids *b, int samples_dirfd);
/* Adds what the file tells; -ENOENT when there is none. Lines that make no sense are skipped. */
int op_build_ids_read(struct op_build_ids *b, int samples_dirfd);
void op_build_ids_release(struct op_build_ids *b);

/* The entries of @path: returns how many, *@first is the first of them. */
size_t op_build_ids_find(const struct op_build_ids *b, const char *path,
			 const struct op_build_id **first);

#endif
