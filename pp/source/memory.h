/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h -- a source with all its samples in memory. A reader of a file adds the file's contents.
 *
 * The order of calls: classes, then binaries, rows and nodes in any order, then pp_memory_finish().
 * Functions return 0 or -ENOMEM unless described otherwise.
 *
 * The readers of the kinds of files (pp_*_open()) are declared at the end.
 */
#ifndef PP_SOURCE_MEMORY_H
#define PP_SOURCE_MEMORY_H

#include "pp/source/source.h"

/* Return the owner of the open file, or -1 if unknown. */
uid_t pp_source_owner(int fd);

/* Create an empty source for the file @path. */
int pp_memory_create(struct pp_source **ret, const char *path);

/* Return the seed for hashes of values that the writer of the file can choose. */
uint64_t pp_memory_seed(const struct pp_source *source);

int pp_memory_class(struct pp_source *source, const char *event, uint64_t count);
/* Set the program of the samples. A relative path gets a '/' before it. */
int pp_memory_program(struct pp_source *source, const char *path);
/* Find or add a binary, and return its number in *@ret. @path: a file if it begins with '/', else a
 * label such as "[vdso]". @start: the address of its mapping. @id may be NULL. */
int pp_memory_binary(struct pp_source *source, const char *path, const uint8_t *id, size_t id_len,
		     uint64_t start, uint32_t *ret);
/* Find or add the frame of the address @key in a binary, and return its number in *@ret. */
int pp_memory_frame(struct pp_source *source, uint32_t binary, uint64_t key, uint32_t *ret);
/* Find or add the frame that ends a path whose caller is unknown, and return its number in
 * *@ret. */
int pp_memory_cut(struct pp_source *source, uint32_t *ret);
/* Add samples at a frame as a new row, and return the row's number in *@ret. @counts: one for each
 * class. Return 0, -ENOMEM, or -EOVERFLOW if a sum would be too large. */
int pp_memory_row(struct pp_source *source, uint32_t frame, const uint64_t *counts, uint32_t *ret);
/* Add a node to the tree of paths below @parent (TREE_ROOT or the number of an earlier node). @row:
 * the row of the node's samples, or PP_MEMORY_NO_ROW. */
int pp_memory_node(struct pp_source *source, uint32_t parent, uint32_t frame, uint32_t row,
		   uint32_t *ret);
#define PP_MEMORY_NO_ROW	UINT32_MAX

int pp_memory_finish(struct pp_source *source);

/* Return whether the binary has samples of the class. */
bool pp_memory_has(const struct pp_source *source, uint32_t class, uint32_t binary);
/* Return the number of samples of the class in the binary. */
uint64_t pp_memory_count(const struct pp_source *source, uint32_t class, uint32_t binary);

/* number of bytes at the beginning of a file that determine its kind */
#define PP_SOURCE_HEAD	16

/* Read an HPC_CSPROF file (doc/csprof-file.md). pp_csp_open_bytes() reads a file that is already in
 * memory; @path is its name in messages. */
int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *error);
int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes,
		      size_t size, struct op_reason *error);
/* Read a .csp.live file: the counters of a program that runs or was killed. */
int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Read a histogram or log of addresses (doc/pct-file.md). */
int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *error);

#endif
