/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_images.h -- a session's list of images in call paths (libop/session/path_images.h). The list
 * is limited, because users could fill it: each new image adds a long name and a wait for the disk.
 *
 * New images are charged to their user's share (shares.h) of the list's size and of the number of
 * new images per time. When the disk is full, no image is added for a second.
 */
#ifndef OPD_TREE_IMAGES_H
#define OPD_TREE_IMAGES_H

#include <errno.h>
#include <stdint.h>

#include "libdb/frames.h"
#include "libop/base/clock.h"
#include "libop/session/path_images.h"

#define OPD_AGAIN_MS	1000	/* time in ms after which a failed write is tried again */

struct opd_share;

/* List of images with its limits; all zeros: not open. The budget of new images outlives the list,
 * because an image in the next session's list costs as much. */
struct opd_tree_images {
	struct op_path_images_writer *list;	/* the open list of images; NULL: not open */
	uint64_t room;				/* limit of the list of images, in bytes */
	/* .left: number of new images that may be added now; .earned_ms: time when .left was last
	 * increased */
	uint64_t left, earned_ms;
	/* time before which no image is added, in ms of op_now_ms() */
	uint64_t again_ms;
};

/* Open the list. Return 0 or a negative errno. */
int opd_tree_images_open(struct opd_tree_images *t, int samples_dirfd, const struct frames *frames,
			 uint64_t room);
void opd_tree_images_close(struct opd_tree_images *t);	/* @t may be closed */
/* Find the number of an image. Return 0 or a negative error; -EAGAIN: the list does not contain the
 * image. */
int opd_tree_images_find(struct opd_tree_images *t, const struct op_path_image *image,
			 uint32_t *number);
/* Add an image to the list and charge it to @share, the share of the process's user (NULL: root's).
 * Return 0, or a negative error if that is impossible at present. */
int opd_tree_images_add(struct opd_tree_images *t, const struct op_path_image *image,
			struct opd_share *share, uint32_t *number);

/* Return the time of the next attempt to write after the error @err; 0: no need to wait. On a full
 * disk, an attempt for each sample would take a hundred times as long as counting the sample. */
static inline uint64_t opd_again_ms(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -ENOMEM
		       ? op_now_ms() + OPD_AGAIN_MS
		       : 0;
}

#endif
