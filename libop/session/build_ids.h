/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_ids.h -- the build-ids of the profiled binaries, stored with the samples.
 *
 * Reports search separate debug files by build-id, and detect binaries that were replaced after the
 * session.
 *
 * The file OP_BUILD_IDS_FILE in a samples directory is replaced atomically. It has lines "HEX
 * PATH". A path has several lines if its file was replaced during the session. Paths with a newline
 * are omitted.
 */
#ifndef OP_BUILD_IDS_H
#define OP_BUILD_IDS_H

#include <stddef.h>
#include <stdint.h>

#define OP_BUILD_IDS_FILE	"build-ids"
#define OP_BUILD_ID_MAX		20	/* maximum length of a build-id, in bytes */

struct op_build_id {
	char *path;
	uint8_t id[OP_BUILD_ID_MAX];
	size_t len;			/* length of the build-id, 1 to OP_BUILD_ID_MAX */
};

/* The build-ids, sorted by path, then by id, without duplicates. A zeroed struct is empty. */
struct op_build_ids {
	struct op_build_id *ids;
	size_t nr;
};

/* Add an entry. Return 0, -ENOMEM, or -EINVAL if @len is out of range or @path contains a
 * newline. */
int op_build_ids_add(struct op_build_ids *b, const char *path, const uint8_t *id, size_t len);
int op_build_ids_write(const struct op_build_ids *b, int samples_dirfd);
/* Add the entries of the session's file of build-ids, but ignore invalid lines. Return 0 or a
 * negative errno; -ENOENT: the file does not exist. */
int op_build_ids_read(struct op_build_ids *b, int samples_dirfd);
void op_build_ids_release(struct op_build_ids *b);

/* Return the number of build-ids for @path, and set *@first to the index of the first of them. */
size_t op_build_ids_find(const struct op_build_ids *b, const char *path,
			 const struct op_build_id **first);

#endif
