/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h -- a source with all its samples in memory. The parser of a file format fills it.
 *
 * Order of calls: first pp_memory_class(), then binaries, rows and nodes in any order, then
 * pp_memory_finish(). Functions return 0 or -ENOMEM unless described otherwise.
 *
 * The parsers of the file formats (pp_*_open()) are declared at the end.
 */
#ifndef PP_SOURCE_MEMORY_H
#define PP_SOURCE_MEMORY_H

#include "pp/source/source.h"

/* Return the user id of the owner of the open file @fd, or -1 if it is unknown. */
uid_t pp_source_owner(int fd);

/* Create an empty source for the file @path. The caller frees it with pp_source_close(). */
int pp_memory_create(struct pp_source **ret, const char *path);

/* Return the random seed for hashes of values that the writer of the file can choose. */
uint64_t pp_memory_seed(const struct pp_source *source);

int pp_memory_class(struct pp_source *source, const char *event, uint64_t count);
/* Set the path of the profiled program. If @path is relative, insert a '/' before it. */
int pp_memory_program(struct pp_source *source, const char *path);
/* Find or add a binary, and store its number in *@ret. @path: path of a file if it begins with '/',
 * else a label such as "[vdso]". @start: start address of the binary's mapping. @id: build-id; may
 * be NULL. */
int pp_memory_binary(struct pp_source *source, const char *path, const uint8_t *id, size_t id_len,
		     uint64_t start, uint32_t *ret);
/* Find or add the frame at @key, an address in the binary, and store its number in *@ret. */
int pp_memory_frame(struct pp_source *source, uint32_t binary, uint64_t key, uint32_t *ret);
/* Find or add the frame that stands for unknown callers in incomplete call paths, and store its
 * number in *@ret. */
int pp_memory_cut(struct pp_source *source, uint32_t *ret);
/* Add a row of samples at a frame, and store the number of the row in *@ret. @counts: one count for
 * each class (event). Return 0, -ENOMEM, or -EOVERFLOW if the sum of a class would overflow. */
int pp_memory_row(struct pp_source *source, uint32_t frame, const uint64_t *counts, uint32_t *ret);
/* Add a node for @frame to the tree of call paths. @parent: TREE_ROOT, or the number of an earlier
 * node. @row: number of the node's row of samples, or PP_MEMORY_NO_ROW. */
int pp_memory_node(struct pp_source *source, uint32_t parent, uint32_t frame, uint32_t row,
		   uint32_t *ret);
#define PP_MEMORY_NO_ROW	UINT32_MAX

int pp_memory_finish(struct pp_source *source);

/* Return whether the binary with the index @binary has samples of the class (event) with the index
 * @class. */
bool pp_memory_has(const struct pp_source *source, uint32_t class, uint32_t binary);
/* Return the number of samples of the class (event) with the index @class in the binary with the
 * index @binary. */
uint64_t pp_memory_count(const struct pp_source *source, uint32_t class, uint32_t binary);

/* number of bytes at the beginning of a file that identify its format */
#define PP_SOURCE_HEAD	16

/* Parse an HPC_CSPROF file (doc/csprof-file.md). pp_csp_open_bytes() parses a file in memory; @path
 * is its name in messages. */
int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *error);
int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes,
		      size_t size, struct op_reason *error);
/* Parse a .csp.live file, which contains the samples of a program that is running or was killed. */
int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Parse a histogram or log of addresses (doc/pct-file.md). */
int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *error);

#endif
