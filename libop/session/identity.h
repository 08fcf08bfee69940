/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h -- which build of a binary a sample file is of, in two words of its header; and where
 * the symbol table of that build is kept.
 *
 * The path alone does not tell: the same path is another file after every rebuild. The time of last
 * change does not either: it changes without the file's contents, and builds follow each other
 * within a second.
 */
#ifndef OP_IDENTITY_H
#define OP_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct op_identity {
	uint32_t build;		/* the first bytes of its build-id, or a hash of contents; 0: not known */
	uint32_t owner;		/* the file's user id, and 1; 0: not known */
};

uint32_t op_identity_of_build_id(const uint8_t *id, size_t len);
/* Of a file without a build-id: from its size, its beginning and its end. 0 if it cannot be read. */
uint32_t op_identity_of_contents(int fd);
uint32_t op_identity_of_owner(uint32_t uid);

/*
 * Symbol tables are kept in this directory beside the sessions, DIR/samples. Their owner is part of
 * the name: who may make files with a build-id of their choice names no other user's binaries.
 */
#define OP_TABLES_DIR		".symbols"
#define OP_TABLE_NAME_SIZE	96
/*
 * Unwind tables (libcfi/file.h) lie in the user's cache (libop/base/cache_dir.h) in OP_UNWIND_DIR, under the same names but
 * for their end; or, without a cache, beside the sessions in OP_SESSION_UNWIND_DIR.
 */
#define OP_UNWIND_DIR		"unwind"
#define OP_SESSION_UNWIND_DIR	".unwind"
#define OP_TABLE_SUFFIX		".gz"
#define OP_UNWIND_SUFFIX	".uw"

/* @id: the whole build-id; @len 0: it has none. -EINVAL when the identity is not known. */
int op_table_name(char name[OP_TABLE_NAME_SIZE], const struct op_identity *identity,
		  uint64_t mtime, const uint8_t *id, size_t len);

#endif
