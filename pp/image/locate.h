/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locate.h -- the files on this machine that may be the binary with a profiled path.
 *
 * These are ROOT/PATH, then for each directory in the list of --image-path DIR/PATH and DIR/NAME.
 * build.h selects the profiled file.
 */
#ifndef PP_IMAGE_LOCATE_H
#define PP_IMAGE_LOCATE_H

struct pp_locate {
	const char *path, *root, *image_path;	/* input; the last two may be NULL */
	int step;				/* zero: start at the beginning */
	int first_err;		/* error of opening ROOT/PATH, or 0 */
};

/* Open the next file that can be opened. Return its descriptor and set *@ret_path, malloc'd; or
 * return -ENOENT at the end of the list, or -ENOMEM. */
int pp_locate_next(struct pp_locate *l, char **ret_path);

#endif
