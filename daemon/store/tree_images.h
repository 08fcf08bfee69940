/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_images.h -- the list of images of a session's call paths (libop/session/path_images.h), which users fill: each new one has a
 * long name and waits for the disk.
 *
 * New ones are taken from their user's share (shares.h), of the list and of the time. When the disk is full, nothing is tried
 * for a second.
 */
#ifndef OPD_TREE_IMAGES_H
#define OPD_TREE_IMAGES_H

#include <errno.h>
#include <stdint.h>

#include "libdb/frames.h"
#include "libop/base/clock.h"
#include "libop/session/path_images.h"

#define OPD_AGAIN_MS	1000	/* after something failed, it is tried again */

struct opd_share;

/* Zeroed: it is not open. The budget outlives the list, for another session costs as much. */
struct opd_tree_images {
	struct op_path_images_writer *list;	/* NULL: it is not open */
	uint64_t room;				/* bytes that all of them together may have */
	uint64_t left, earned_ms;		/* how many new ones there may be now, and when that number last grew */
	uint64_t again_ms;			/* none before then */
};

/* 0 or negative errno. */
int opd_tree_images_open(struct opd_tree_images *t, int samples_dirfd, const struct frames *frames, uint64_t room);
void opd_tree_images_close(struct opd_tree_images *t);	/* takes one that is not open */
/* Finds the number of an image. -EAGAIN: it is not listed. */
int opd_tree_images_find(struct opd_tree_images *t, const struct op_path_image *image, uint32_t *number);
/* Lists one that is not, for a process with that @share (NULL: root's). A negative error: that cannot be now. */
int opd_tree_images_add(struct opd_tree_images *t, const struct op_path_image *image, struct opd_share *share, uint32_t *number);

/* When to try again what has ended with @err; 0: that is no matter of time. On a full disk each sample would try, which
 * takes a hundred times as long as to count it. */
static inline uint64_t opd_again_ms(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -ENOMEM ? op_now_ms() + OPD_AGAIN_MS : 0;
}

#endif
