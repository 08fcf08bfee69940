/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locate.h -- where the binary with a profiled path is on this machine.
 */
#ifndef PP_IMAGE_LOCATE_H
#define PP_IMAGE_LOCATE_H

/*
 * Opens ROOT/PATH, else the file below one of the directories of the comma-separated list
 * @image_path: DIR/PATH, then DIR/NAME. @root and @image_path may be NULL. Returns an open
 * descriptor and
 * *@ret_path (malloc'd), or a negative errno: the one for ROOT/PATH.
 */
int pp_locate(char **ret_path, const char *path, const char *root, const char *image_path);

#endif
