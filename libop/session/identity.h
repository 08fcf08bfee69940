/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h -- two words in a sample file's header that identify the build of the binary, and the
 * name of that build's symbol table.
 *
 * A path does not identify a build: each rebuild puts another file there. The modification time
 * does not either: it may change while the contents do not, and two builds may have the same
 * second.
 */
#ifndef OP_IDENTITY_H
#define OP_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct op_identity {
	/* first bytes of the build-id, or a hash of the contents; 0: unknown */
	uint32_t build;
	uint32_t owner;		/* user id of the file's owner + 1; 0: unknown */
};

uint32_t op_identity_of_build_id(const uint8_t *id, size_t len);
/* Return a hash of a file's size, first and last bytes, for files without a build-id; 0 if the
 * file cannot be read. */
uint32_t op_identity_of_contents(int fd);
uint32_t op_identity_of_owner(uint32_t uid);

/*
 * Two builds of a binary with one path have two sample files: the path of one of them gets the
 * suffix " (version of TIME)", or " (build BUILD)" where the times are equal. @version: the time of
 * modification in seconds, or OP_VERSION_BUILD and the build.
 */
#define OP_VERSION_BUILD	(1ull << 63)
#define OP_VERSION_SUFFIX_SIZE	64
void op_version_suffix(char suffix[OP_VERSION_SUFFIX_SIZE], uint64_t version);
/* Return the length of @path without such a suffix. */
size_t op_unversioned_length(const char *path);

/*
 * The user's cache (libop/base/cache_dir.h) holds symbol tables and unwind tables (libcfi/file.h).
 * The link OP_CACHE_LINK beside the sessions, in DIR/samples, leads reports there. In archives, and
 * if the cache cannot be used, the directories OP_TABLES_DIR and OP_SESSION_UNWIND_DIR beside the
 * sessions hold the tables. The name of a table contains the owner of its binary, so that a user
 * who makes a file with a forged build-id cannot name the functions of others' binaries.
 */
#define OP_CACHE_LINK		".cache"
#define OP_TABLES_DIR		".symbols"
#define OP_SESSION_UNWIND_DIR	".unwind"
/* tables of the images in intervals (intervals/tables.h), in DIR/samples */
#define OP_INTERVAL_TABLES_DIR	".intervals/tables"
#define OP_TABLE_NAME_SIZE	96
#define OP_TABLE_SUFFIX		".gz"
/* suffix of a table that includes the symbols of a separate debug file */
#define OP_TABLE_DEBUG_SUFFIX	".debug.gz"
#define OP_UNWIND_SUFFIX	".uw"

/* Write the table's name. @id: the whole build-id; @len 0: no build-id. Return 0, or -EINVAL if
 * the identity is unknown. */
int op_table_name(char name[OP_TABLE_NAME_SIZE], const struct op_identity *identity,
		  uint64_t mtime, const uint8_t *id, size_t len);
/* Change the name of a symbol table to the name of the table of the same binary with its debug
 * file. */
void op_table_name_debug(char name[OP_TABLE_NAME_SIZE]);

#endif
