/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h -- a source that has all its samples in memory: who reads a file adds what is in there, and is a source then.
 *
 * The order: classes, then binaries, rows and nodes as they come, then pp_memory_finish(). All functions give 0 or
 * -ENOMEM where nothing else is said.
 */
#ifndef PP_SOURCE_MEMORY_H
#define PP_SOURCE_MEMORY_H

#include "pp/source/source.h"

/* An empty source of the file @path, which is named "NAME". */
int pp_memory_create(struct pp_source **ret, const char *path);

/* What hashes begin with where the file's writer could choose what is hashed. */
uint64_t pp_memory_seed(const struct pp_source *source);

int pp_memory_class(struct pp_source *source, const char *event, uint64_t count);
/* The program that the samples are of; an absolute path, or it gets a '/' in front. */
int pp_memory_program(struct pp_source *source, const char *path);
/* The binary's number, old or new. @path is a file's if it begins with '/', else a label such as "[vdso]"; @start: where
 * it was mapped. @id may be NULL. */
int pp_memory_binary(struct pp_source *source, const char *path, const uint8_t *id, size_t id_len, uint64_t start,
		     uint32_t *ret);
/* The number of a place in a binary, old or new. */
int pp_memory_frame(struct pp_source *source, uint32_t binary, uint64_t key, uint32_t *ret);
/* That of a path's end: nobody knows who called. */
int pp_memory_cut(struct pp_source *source, uint32_t *ret);
/* Samples at a frame: @counts has one for each class. -EOVERFLOW: they cannot be so many. */
int pp_memory_row(struct pp_source *source, uint32_t frame, const uint64_t *counts, uint32_t *ret);
/* A node of the tree of paths below @parent (TREE_ROOT, or an earlier node's number); @row: its samples, or
 * PP_MEMORY_NO_ROW. */
int pp_memory_node(struct pp_source *source, uint32_t parent, uint32_t frame, uint32_t row, uint32_t *ret);
#define PP_MEMORY_NO_ROW	UINT32_MAX

int pp_memory_finish(struct pp_source *source);

/* Has the binary samples of the class? */
bool pp_memory_has(const struct pp_source *source, uint32_t class, uint32_t binary);
/* Return the number of samples of the class in the binary. */
uint64_t pp_memory_count(const struct pp_source *source, uint32_t class, uint32_t binary);

#endif
