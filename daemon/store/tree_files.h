/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_files.h -- a session's files of call paths: frames, images, and the open trees; the total
 * size is limited.
 *
 * Near the size limit, the largest trees of the user with the most nodes are folded (libdb/tree.h):
 * nodes are removed, and their samples are counted in their callers. New frames and images are
 * charged to their user's share (shares.h). Not thread-safe.
 */
#ifndef OPD_TREE_FILES_H
#define OPD_TREE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/tree.h"
#include "libop/base/hash.h"
#include "libop/session/path_images.h"

struct opd_config;
struct opd_log;
struct opd_session;
struct opd_stats;

/* Key of a tree. Equal keys mean the same tree, in one file. Keys are compared as bytes, so zero a
 * key before filling it in. */
struct opd_tree_key {
	/* the program: a struct opd_image or opd_kimage; only the address is compared */
	const void *app;
	/* the program's path, in the form that file names have; borrowed until the tree is open */
	const char *path;
	/* kind of the program's image: OP_IMAGE_ROOT or OP_IMAGE_KERN */
	int32_t kind;
	uint32_t event;			/* index into the configured events */
	/* ids of the samples, or OP_ALL where --separate does not distinguish them */
	int32_t tgid, tid, cpu;
	int32_t pad;
};

struct opd_tree;
struct opd_tree_files;

/* Create *@ret. All arguments are borrowed. Return 0 or a negative errno. */
int opd_tree_files_create(struct opd_tree_files **ret, const struct opd_config *cfg,
			  const struct opd_session *session, struct opd_stats *stats,
			  struct opd_log *log);
void opd_tree_files_destroy(struct opd_tree_files *f);	/* @f may be NULL */

/* Return the open tree of @key, or NULL. */
struct opd_tree *opd_tree_files_find(struct opd_tree_files *f, const struct opd_tree_key *key);
/* Open the tree of @key, or make it. Return 0, or a negative error if that is impossible at
 * present. */
int opd_tree_files_open(struct opd_tree_files *f, const struct opd_tree_key *key,
			struct opd_tree **ret);

/* Set the process, and the owner of its program (opd_shares_find()), to which the next new images
 * and frames are charged. */
void opd_tree_files_for(struct opd_tree_files *f, int32_t tgid, uint32_t owner);

/* Find the number of an image or frame, or assign one. Return 0, or a negative error if that is
 * impossible at present. */
int opd_tree_files_image(struct opd_tree_files *f, const struct op_path_image *image,
			 uint32_t *number);
int opd_tree_files_frame(struct opd_tree_files *f, const struct frame *frame, uint32_t *number);

/* Call tree_child() on the tree that opd_tree_files_use() has returned. When the disk is full, add
 * no nodes for a second. */
int opd_tree_files_child(struct opd_tree *t, uint32_t parent, uint32_t frame, uint32_t *number);

/* Return a number that changes when a tree is closed or folded, or all files are closed. Numbers of
 * nodes, frames and images are valid as long as this number does not change. */
uint64_t opd_tree_files_generation(const struct opd_tree_files *f);

/* Make room if needed, and return the tree. The pointer is valid until the next call of a function
 * of this file. */
struct tree *opd_tree_files_use(struct opd_tree_files *f, struct opd_tree *t);

bool opd_tree_files_dirty(const struct opd_tree_files *f);
/* Start writing the frames and trees to disk, without waiting. Return the first error, or 0. */
/* Start writing all changed files to disk in steps, without waiting for the disk: begin, and then
 * go on until the result is not 1, but 0 or a negative error. */
void opd_tree_files_begin_sync(struct opd_tree_files *f);
int opd_tree_files_sync_step(struct opd_tree_files *f);
/* Close all files, so that the session can be saved or deleted. Numbers of images become
 * invalid. */
void opd_tree_files_close_all(struct opd_tree_files *f);
/* Close some of the trees that are not used any more. Return whether there are more. */
bool opd_tree_files_close_step(struct opd_tree_files *f);
/* Return whether there are trees that are not used any more. */
bool opd_tree_files_is_closing(const struct opd_tree_files *f);

#endif
