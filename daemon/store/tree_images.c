// SPDX-License-Identifier: GPL-2.0-or-later
/* tree_images.c -- a session's list of the images in call paths, with a limit per user. */
#include "config.h"
#include "daemon/store/tree_images.h"

#include "daemon/base/shares.h"

/* number of new images that can be added to the list at once */
#define SAVED		500
/* after SAVED images were added, one more image may be added after each IMAGE_MS milliseconds */
#define IMAGE_MS	50

/* Return the highest image number that occurs in @frames. */
static uint32_t highest_image(const struct frames *frames)
{
	uint32_t end = frames_end(frames), highest = 0;
	struct frame frame;

	for (uint32_t i = FRAME_FIRST; i < end; i++)
		if (frames_get(frames, i, &frame) && frame.image > highest)
			highest = frame.image;
	return highest;
}

int opd_tree_images_open(struct opd_tree_images *t, int samples_dirfd, const struct frames *frames,
			 uint64_t room)
{
	t->room = room;
	t->again_ms = 0;
	return op_path_images_open(&t->list, samples_dirfd, frames_generation(frames),
				   highest_image(frames));
}

void opd_tree_images_close(struct opd_tree_images *t)
{
	op_path_images_close(t->list);
	t->list = NULL;
}

static void earn(struct opd_tree_images *t, uint64_t now)
{
	uint64_t earned = (now - t->earned_ms) / IMAGE_MS;

	t->earned_ms += earned * IMAGE_MS;
	t->left = earned < SAVED - t->left ? t->left + earned : SAVED;
}

static bool may_have(struct opd_tree_images *t, struct opd_share *share, uint64_t size)
{
	uint64_t now = op_now_ms(), earned;

	earn(t, now);
	if (share) {
		earned = (now - share->images_ms) / IMAGE_MS;
		share->images_ms += earned * IMAGE_MS;
		share->images -= earned < share->images ? earned : share->images;
	}
	return now >= t->again_ms && opd_share_may(share, share ? share->images : 0, t->left) &&
	       opd_share_may(share, share ? share->image_bytes : 0,
			     size < t->room ? t->room - size : 0);
}

int opd_tree_images_find(struct opd_tree_images *t, const struct op_path_image *image,
			 uint32_t *number)
{
	op_path_images_hold(t->list, true);
	return op_path_images_number(t->list, image, number);
}

int opd_tree_images_add(struct opd_tree_images *t, const struct op_path_image *image,
			struct opd_share *share, uint32_t *number)
{
	uint64_t size = op_path_images_size(t->list);
	int err;

	if (!may_have(t, share, size))
		return -EAGAIN;
	op_path_images_hold(t->list, false);
	err = op_path_images_number(t->list, image, number);
	t->again_ms = opd_again_ms(err);
	size = op_path_images_size(t->list) - size;
	t->left -= size != 0;
	if (share) {
		share->images += size != 0;
		share->image_bytes += size;
	}
	return err;
}
