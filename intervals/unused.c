// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unused.c -- removes images and frames that no other element of the interval refers to.
 */
#include "config.h"
#include "intervals/private.h"

#include <errno.h>
#include <stdlib.h>

static void mark_used(const struct itv *v, uint32_t *images, uint32_t *frames)
{
	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		if (v->nodes[i].frame >= ITV_FRAME_FIRST)
			frames[v->nodes[i].frame - ITV_FRAME_FIRST] = 1;
	}
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		if (frames[i] && v->frames[i].image)
			images[v->frames[i].image - 1] = 1;
	}
	for (uint32_t i = 0; i < v->nr_groups; i++)
		images[v->groups[i].app] = images[v->groups[i].image] = 1;
	for (uint32_t i = 0; i < v->nr_trees; i++)
		images[v->trees[i].app] = 1;
}

/* Remove the images whose element in @images is 0, and set the other elements to the images' new
 * numbers. */
static void remove_images(struct itv *v, uint32_t *images)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < v->nr_images; i++) {
		if (images[i]) {
			images[i] = nr;
			v->images[nr++] = v->images[i];
		} else {
			itv_free_image(&v->images[i]);
		}
	}
	v->nr_images = nr;
	for (uint32_t i = 0; i < v->nr_groups; i++) {
		v->groups[i].app = images[v->groups[i].app];
		v->groups[i].image = images[v->groups[i].image];
	}
	for (uint32_t i = 0; i < v->nr_trees; i++)
		v->trees[i].app = images[v->trees[i].app];
}

static void remove_frames(struct itv *v, const uint32_t *images, uint32_t *frames)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < v->nr_frames; i++) {
		struct itv_frame frame = v->frames[i];

		if (!frames[i])
			continue;
		frames[i] = nr;
		if (frame.image)
			frame.image = images[frame.image - 1] + 1;
		v->frames[nr++] = frame;
	}
	v->nr_frames = nr;
	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		uint32_t *frame = &v->nodes[i].frame;

		if (*frame >= ITV_FRAME_FIRST)
			*frame = frames[*frame - ITV_FRAME_FIRST] + ITV_FRAME_FIRST;
	}
}

int itv_drop_unused(struct itv *v)
{
	uint32_t *images = itv_new_list(v->nr_images, sizeof(*images));
	uint32_t *frames = itv_new_list(v->nr_frames, sizeof(*frames));
	int err = images && frames ? 0 : -ENOMEM;

	if (!err) {
		mark_used(v, images, frames);
		remove_images(v, images);
		remove_frames(v, images, frames);
	}
	free(images);
	free(frames);
	return err;
}
