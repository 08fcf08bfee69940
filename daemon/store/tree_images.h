/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_images.h -- the list of images of a session's call paths (libop/session/path_images.h).
 * Users can fill it, because each new image has a long name and waits for the disk.
 *
 * New images are charged to their user's share (shares.h) of the list and of the time. When the
 * disk is full, no image is added for a second.
 */
#ifndef OPD_TREE_IMAGES_H
#define OPD_TREE_IMAGES_H

#include <errno.h>
#include <stdint.h>

#include "libdb/frames.h"
#include "libop/base/clock.h"
#include "libop/session/path_images.h"

#define OPD_AGAIN_MS	1000	/* time until the next try after a failure */

struct opd_share;

/* Zeroed: not open. The budget outlives the list, because images of another session cost as much.
 */
struct opd_tree_images {
	struct op_path_images_writer *list;	/* NULL: not open */
	uint64_t room;				/* limit of the list, in bytes */
	/* number of new images allowed now, and the time when it last grew */
	uint64_t left, earned_ms;
	uint64_t again_ms;			/* no new images before this time */
};

/* Open the list. Return 0 or a negative errno. */
int opd_tree_images_open(struct opd_tree_images *t, int samples_dirfd, const struct frames *frames,
			 uint64_t room);
void opd_tree_images_close(struct opd_tree_images *t);	/* @t may be closed already */
/* Find the number of an image. Return 0 or a negative error; -EAGAIN: it is not listed. */
int opd_tree_images_find(struct opd_tree_images *t, const struct op_path_image *image,
			 uint32_t *number);
/* Add an image, for a process with that @share (NULL: root's). Return 0, or a negative error if
 * that is impossible at present. */
int opd_tree_images_add(struct opd_tree_images *t, const struct op_path_image *image,
			struct opd_share *share, uint32_t *number);

/* Return the time of the next try after @err; 0: time does not matter. On a full disk a try for
 * each sample would take a hundred times as long as counting it. */
static inline uint64_t opd_again_ms(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -ENOMEM
		       ? op_now_ms() + OPD_AGAIN_MS
		       : 0;
}

#endif
