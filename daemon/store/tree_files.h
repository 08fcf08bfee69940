/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_files.h -- a session's files of call paths: the frames, the list of images, and the open
 * trees. Their total size is limited.
 *
 * If the total size is near the limit, the largest trees of the user with most nodes are folded
 * (libdb/tree.h): nodes are removed, and their samples are counted in their callers' nodes. New
 * frames and images are charged to the share of their user (shares.h). Not thread-safe.
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

/* The key of a tree: equal keys mean the same file. Zero the whole struct before setting its
 * members. */
struct opd_tree_key {
	/* the program, a struct opd_image or opd_kimage; only the address is compared */
	const void *app;
	/* path of the program, as names of files contain it; borrowed until the tree is open */
	const char *path;
	/* kind of the program's image: OP_IMAGE_ROOT or OP_IMAGE_KERN */
	int32_t kind;
	uint32_t event;			/* index into the configured events */
	/* ids of the task and the CPU, or OP_ALL if --separate does not distinguish them */
	int32_t tgid, tid, cpu;
	int32_t pad;
	/* struct opd_context.unit, or NULL if --separate does not distinguish units */
	const char *unit;
};

struct opd_tree;
struct opd_tree_files;

/* Create *@ret. All arguments are borrowed. Return 0 or a negative errno. */
int opd_tree_files_create(struct opd_tree_files **ret, const struct opd_config *cfg,
			  const struct opd_session *session, struct opd_stats *stats,
			  struct opd_log *log);
void opd_tree_files_destroy(struct opd_tree_files *f);	/* @f may be NULL. */

/* Return the open tree of @key, or NULL. */
struct opd_tree *opd_tree_files_find(struct opd_tree_files *f, const struct opd_tree_key *key);
/* Open or create the tree of @key. Return 0, or a negative error if this is impossible now. */
int opd_tree_files_open(struct opd_tree_files *f, const struct opd_tree_key *key,
			struct opd_tree **ret);

/* Set the process whose user is charged for new images and frames. @owner: owner of the program's
 * file, as for opd_shares_find(). */
void opd_tree_files_for(struct opd_tree_files *f, int32_t tgid, uint32_t owner);

/* Set *@number to the number of @image in the list of images; add the image if it is new. Return 0,
 * or a negative error if the image cannot be added now. */
int opd_tree_files_image(struct opd_tree_files *f, const struct op_path_image *image,
			 uint32_t *number);
/* Set *@number to the number of @frame in the file of frames; add the frame if it is new. Return 0,
 * or a negative error if the frame cannot be added now. */
int opd_tree_files_frame(struct opd_tree_files *f, const struct frame *frame, uint32_t *number);

/* Call tree_child() for the tree that opd_tree_files_use() has returned. If the disk is full, add
 * no nodes to the tree for a second. */
int opd_tree_files_child(struct opd_tree *t, uint32_t parent, uint32_t frame, uint32_t *number);

/* Return a number that changes when a tree is closed or folded, or when all files are closed. While
 * this number is unchanged, the numbers of nodes, frames and images are valid. */
uint64_t opd_tree_files_generation(const struct opd_tree_files *f);

/* Return the tree of @t, so that the caller can add samples to it. If the files are near their size
 * limit, first fold trees. The pointer is valid until the next call of a function of this file. */
struct tree *opd_tree_files_use(struct opd_tree_files *f, struct opd_tree *t);

bool opd_tree_files_dirty(const struct opd_tree_files *f);
/* Start a sync: start to write the session's file of frames to disk, without waiting for the disk.
 * Then call opd_tree_files_sync_step() to write the trees. */
void opd_tree_files_begin_sync(struct opd_tree_files *f);
/* Start to write some of the trees that have changed to disk, without waiting for the disk. Return
 * 1 if further steps are needed, 0 at the end of the sync, or the first error. */
int opd_tree_files_sync_step(struct opd_tree_files *f);
/* Close all files, so that the session can be saved or deleted. The numbers of images become
 * invalid. */
void opd_tree_files_close_all(struct opd_tree_files *f);
/* Close some of the trees that wait to be closed. Return true if others are still open. */
bool opd_tree_files_close_step(struct opd_tree_files *f);
/* Return true if trees that wait to be closed are still open. */
bool opd_tree_files_is_closing(const struct opd_tree_files *f);

#endif
