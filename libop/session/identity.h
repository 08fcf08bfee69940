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
 * Symbol tables and unwind tables (libcfi/file.h) lie in the user's cache (libop/base/cache_dir.h). The link OP_CACHE_LINK
 * beside the sessions, in DIR/samples, leads reports there. Where the cache cannot be used, and in archives, tables lie in
 * OP_TABLES_DIR and OP_SESSION_UNWIND_DIR beside the sessions. The owner of the binary is part of a table's name, so that a
 * user who makes a file with any build-id names no other user's binaries.
 */
#define OP_CACHE_LINK		".cache"
#define OP_TABLES_DIR		".symbols"
#define OP_SESSION_UNWIND_DIR	".unwind"
#define OP_TABLE_NAME_SIZE	96
#define OP_TABLE_SUFFIX		".gz"
#define OP_TABLE_DEBUG_SUFFIX	".debug.gz"	/* a debug file was read, too */
#define OP_UNWIND_SUFFIX	".uw"

/* @id: the whole build-id; @len 0: it has none. -EINVAL when the identity is not known. */
int op_table_name(char name[OP_TABLE_NAME_SIZE], const struct op_identity *identity,
		  uint64_t mtime, const uint8_t *id, size_t len);
/* Change the name of a symbol table to the name of the table of the same binary with its debug file. */
void op_table_name_debug(char name[OP_TABLE_NAME_SIZE]);

#endif
