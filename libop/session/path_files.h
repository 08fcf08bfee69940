/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_files.h -- how the files of call paths are called, in a samples directory.
 *
 *   paths/frames                 the frames of all trees: libdb/frames.h
 *   paths/images                 the images that frames are in: path_images.h
 *   paths/root/APP/EVENT.COUNT.UM.TGID.TID.CPU	a tree of the program {root}/APP: libdb/tree.h
 *   paths/kern/NAME/EVENT...     a tree of {kern}/NAME
 *
 * There is no '{' in front, so that OProfile 1.4's tools pass them over.
 */
#ifndef OP_PATH_FILES_H
#define OP_PATH_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/mangle.h"

#define OP_PATHS_DIR	"paths"
#define OP_PATHS_FRAMES	"paths/frames"
/* Suffix of the name of a damaged file. */
#define OP_TREE_ASIDE	".damaged"

/* *@ret: malloc'd path relative to the samples directory. Of @name its app, event, count, um, tgid, tid and cpu. */
int op_tree_name(char **ret, const struct op_sample_name *name);

/* The other way round; image and callee are empty. OP_ERR_NAME for what is not a tree's name. */
int op_tree_unname(struct op_sample_name *ret, const char *path);

/* Of a frame's `how`: is it no frame, but why a path ends? Was it found by a frame pointer? */
bool op_path_is_end(uint16_t how);
bool op_path_by_frame_pointer(uint16_t how);

/* Why a path ends, of a frame's `how` (enum oprofile_uw_how). NULL: it is a frame, or a reason of later versions. */
const char *op_path_end_words(uint16_t how);

#endif
