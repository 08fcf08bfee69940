/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locate.h -- the files on this machine that may be the binary with a profiled path.
 *
 * In order: ROOT/PATH, then below each directory of the comma-separated list of --image-path
 * DIR/PATH and DIR/NAME. Which of them is the one that was profiled, build.h decides.
 */
#ifndef PP_IMAGE_LOCATE_H
#define PP_IMAGE_LOCATE_H

struct pp_locate {
	const char *path, *root, *image_path;	/* to be set; the last two may be NULL */
	int step;				/* zeroed: from the beginning */
	int first_err;		/* why ROOT/PATH could not be opened; 0 if it could */
};

/* The next one that can be opened: a descriptor and *@ret_path (malloc'd); -ENOENT when there
 * are no more, -ENOMEM. */
int pp_locate_next(struct pp_locate *l, char **ret_path);

#endif
