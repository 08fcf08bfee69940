/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_files.h -- the files of call paths of a session: frames, images, and the trees that are open; all within a limit.
 *
 * Near the limit the largest trees are folded (libdb/tree.h): what goes is counted in its callers. One thread.
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

/* What makes a tree: equal keys, one file. Compared as bytes, so zero it first. */
struct opd_tree_key {
	const void *app;		/* struct opd_image, or opd_kimage; by pointer */
	const char *path;		/* of the program, as it may stand in a name; the caller's only until it is open */
	int32_t kind;			/* OP_IMAGE_ROOT or OP_IMAGE_KERN */
	uint32_t event;			/* index into the configured ones */
	int32_t tgid, tid, cpu;		/* or OP_ALL */
	int32_t pad;
};

struct opd_tree;
struct opd_tree_files;

/* All is borrowed. 0 or negative errno. */
int opd_tree_files_create(struct opd_tree_files **ret, const struct opd_config *cfg, const struct opd_session *session,
			  struct opd_stats *stats, struct opd_log *log);
void opd_tree_files_destroy(struct opd_tree_files *f);	/* takes NULL */

/* The tree of a key that is open, or NULL. */
struct opd_tree *opd_tree_files_find(struct opd_tree_files *f, const struct opd_tree_key *key);
/* Opens it, made where it is not there. 0, or negative: there is none now. */
int opd_tree_files_open(struct opd_tree_files *f, const struct opd_tree_key *key, struct opd_tree **ret);

/* Numbers of images and frames. Negative: there is none now. */
int opd_tree_files_image(struct opd_tree_files *f, const struct op_path_image *image, uint32_t *number);
int opd_tree_files_frame(struct opd_tree_files *f, const struct frame *frame, uint32_t *number);

/* Makes room, if it is needed; then tree_child() and all else may be done with it until the next call here. */
struct tree *opd_tree_files_use(struct opd_tree_files *f, struct opd_tree *t);

bool opd_tree_files_dirty(const struct opd_tree_files *f);
/* Starts writing to the disk. First error, or 0. */
int opd_tree_files_sync(struct opd_tree_files *f);
/* So that the session can be saved or deleted; images have other numbers then. */
void opd_tree_files_close_all(struct opd_tree_files *f);

#endif
