/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_images.h -- a session's list of the images in call paths (libop/session/path_images.h). The
 * list is limited, because users could fill it: each new image adds a long name, and the daemon
 * waits for the disk.
 *
 * New images are charged to the share of their user (shares.h): the size of the list, and the
 * number of new images per time. If the disk is full, no image is added for a second.
 */
#ifndef OPD_TREE_IMAGES_H
#define OPD_TREE_IMAGES_H

#include <errno.h>
#include <stdint.h>

#include "libdb/frames.h"
#include "libop/base/clock.h"
#include "libop/session/path_images.h"

/* delay in ms before another attempt to write a file after a failure */
#define OPD_AGAIN_MS	1000

struct opd_share;

/* A session's list of images, with its limits. A zeroed struct: the list is not open. The limit of
 * new images per time continues in the next session, because adding an image to the next list costs
 * the same time. */
struct opd_tree_images {
	struct op_path_images_writer *list;	/* writer of the list; NULL: the list is not open */
	uint64_t room;				/* maximum size of the list in bytes */
	/* .left: number of images that may be added now; .earned_ms: time of its last increase */
	uint64_t left, earned_ms;
	/* no image is added before this time, in ms of op_now_ms() */
	uint64_t again_ms;
};

/* Open the session's list of images. Return 0 or a negative errno. */
int opd_tree_images_open(struct opd_tree_images *t, int samples_dirfd, const struct frames *frames,
			 uint64_t room);
void opd_tree_images_close(struct opd_tree_images *t);	/* @t may already be closed. */
/* Find the number of an image in the list. Return 0 or a negative error; -EAGAIN: the list does not
 * have the image. */
int opd_tree_images_find(struct opd_tree_images *t, const struct op_path_image *image,
			 uint32_t *number);
/* Add an image to the list. @share: resource share of the user who is charged; NULL: root. Return
 * 0, or a negative error if the image cannot be added now. */
int opd_tree_images_add(struct opd_tree_images *t, const struct op_path_image *image,
			struct opd_share *share, uint32_t *number);

/* Return the time at which an operation that failed with @err may be retried, or 0 if no delay is
 * needed. On a full disk, an attempt for each sample would take a hundred times as long as counting
 * the sample. */
static inline uint64_t opd_again_ms(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -ENOMEM
		       ? op_now_ms() + OPD_AGAIN_MS
		       : 0;
}

#endif
