/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_files.h -- names of the files that contain call paths, in a samples directory.
 *
 *   paths/frames                 the frames of all trees: libdb/frames.h
 *   paths/images                 the images of the frames: path_images.h
 *   paths/root/APP/EVENT.COUNT.UM.TGID.TID.CPU	a tree of the program {root}/APP: libdb/tree.h
 *   paths/kern/NAME/EVENT...     a tree of {kern}/NAME
 *   paths/unitUNIT/{root}/APP/EVENT...	a tree of {root}/APP in the control group UNIT (mangle.h)
 *
 * OProfile 1.4's tools skip these names because they do not begin with '{'.
 */
#ifndef OP_PATH_FILES_H
#define OP_PATH_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/mangle.h"

#define OP_PATHS_DIR	"paths"
#define OP_PATHS_FRAMES	"paths/frames"
/* suffix that is added to the name of a damaged file */
#define OP_TREE_ASIDE	".damaged"

/*
 * Set *@ret to the path of a file with a tree of call paths, relative to the samples directory; the
 * caller frees *@ret. The path contains the app, event, count, um, tgid, tid and cpu of @name.
 * Return 0 or a negative errno.
 */
int op_tree_name(char **ret, const struct op_sample_name *name);

/* Decode @path, the path of a file with a tree of call paths. The image and callee of *@ret are
 * left empty. Return 0, -ENOMEM, or OP_ERR_NAME if @path is not such a path. */
int op_tree_unname(struct op_sample_name *ret, const char *path);

/*
 * op_path_is_end(): return whether @how, a member of struct frame, is the reason why a path ends;
 * then the struct is not a real frame. op_path_by_frame_pointer(): return whether the frame was
 * found by a frame pointer.
 */
bool op_path_is_end(uint16_t how);
bool op_path_by_frame_pointer(uint16_t how);

/*
 * Return text for the reason why a path ends, from a frame's `how` (enum oprofile_uw_how). Return
 * NULL if `how` belongs to a real frame, or if the reason is unknown because a later version has
 * added it.
 */
const char *op_path_end_words(uint16_t how);

#endif
