/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h -- the identity of a binary's build: two words in a sample file's header, and the name
 * of the build's symbol table.
 *
 * The path does not identify a build, because each rebuild replaces the file. Nor does the
 * modification time: it may change without a change of the contents, and two builds may have the
 * same second.
 */
#ifndef OP_IDENTITY_H
#define OP_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct op_identity {
	/* first bytes of the file's build-id, or a hash of the file's contents; 0: unknown */
	uint32_t build;
	uint32_t owner;		/* user id of the file's owner + 1; 0: unknown */
};

uint32_t op_identity_of_build_id(const uint8_t *id, size_t len);
/* Return a hash of the file's size, first bytes and last bytes, to identify a file that has no
 * build-id. Return 0 if the file cannot be read. */
uint32_t op_identity_of_contents(int fd);
uint32_t op_identity_of_owner(uint32_t uid);

/*
 * If two builds of a binary have the same path, the sample file of one of them gets a path with the
 * suffix " (version of TIME)", or " (build BUILD)" if the times are equal. @version: modification
 * time in seconds, or OP_VERSION_BUILD | build; build 0 stands for all binaries that could not be
 * opened.
 */
#define OP_VERSION_BUILD	(1ull << 63)
#define OP_VERSION_SUFFIX_SIZE	64
void op_version_suffix(char suffix[OP_VERSION_SUFFIX_SIZE], uint64_t version);
/* Return the length of @path without the suffix that op_version_suffix() adds. */
size_t op_unversioned_length(const char *path);

/*
 * Symbol tables and unwind tables (libcfi/file.h) are in the user's cache (libop/base/cache_dir.h).
 * The link OP_CACHE_LINK in DIR/samples, beside the sessions, points reports to the cache. In
 * archives, and if the cache cannot be used, the tables are in the directories OP_TABLES_DIR and
 * OP_SESSION_UNWIND_DIR beside the sessions. The name of a table contains the owner of its binary:
 * otherwise a user could create a file with a forged build-id, whose table would then define the
 * names of functions in other users' binaries.
 */
#define OP_CACHE_LINK		".cache"
#define OP_TABLES_DIR		".symbols"
#define OP_SESSION_UNWIND_DIR	".unwind"
/* directory, relative to DIR/samples, of the tables for images in intervals (intervals/tables.h) */
#define OP_INTERVAL_TABLES_DIR	".intervals/tables"
#define OP_TABLE_NAME_SIZE	96
#define OP_TABLE_SUFFIX		".gz"
/* suffix of a table that includes the symbols of a separate debug file */
#define OP_TABLE_DEBUG_SUFFIX	".debug.gz"
#define OP_UNWIND_SUFFIX	".uw"

/* Write the name of the table of a binary's build. @id: the binary's whole build-id, of @len bytes;
 * @len 0: no build-id. Return 0, or -EINVAL if the identity is unknown. */
int op_table_name(char name[OP_TABLE_NAME_SIZE], const struct op_identity *identity,
		  uint64_t mtime, const uint8_t *id, size_t len);
/* @name is the name of a symbol table. Change it to the name of the table that also includes the
 * symbols of the binary's debug file. */
void op_table_name_debug(char name[OP_TABLE_NAME_SIZE]);

#endif
