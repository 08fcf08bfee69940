// SPDX-License-Identifier: GPL-2.0-or-later
/* parts.c -- assigns call-path frames to the parts (binaries) of a profile, and collects the
 * functions found at the frames. */
#include "config.h"
#include "pp/paths/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

/* Return the index of the binary with the title @title. The binary exists, because each image with
 * frames is a binary of the profile. */
static size_t binary_of(const struct pp_profile *profile, const char *title)
{
	return op_partition_point(i, profile->nr_binaries,
				  strcmp(profile->binaries[i].title, title) < 0);
}

/* Return an array that maps the images in a session's list to binaries of the profile, or NULL if
 * out of memory. */
static uint32_t *binaries_of(const struct pp_profile *profile,
			     const struct pp_session_images *images)
{
	uint32_t *binaries = calloc(images->list.nr + 1, sizeof(*binaries));

	for (size_t i = 0; binaries && i < images->list.nr; i++)
		if (images->titles[i])
			binaries[i] = binary_of(profile, images->titles[i]);
	return binaries;
}

/* Count the frames of each part of the profile. If the .frames array of a part is allocated, also
 * store the frames in it. Return 0 or -ENOMEM. */
static int share(struct pp_path_parts *p, const struct pp_profile *profile,
		 const struct pp_session *session, struct pp_part *parts)
{
	for (size_t s = 0; s < p->sources.nr; s++) {
		const struct pp_session_images *images = &session->path_images[s];
		struct pp_frame_source *source = &p->sources.sources[s];
		uint32_t *binaries;

		if (!source->nr)
			continue;
		binaries = binaries_of(profile, images);
		if (!binaries)
			return -ENOMEM;
		for (size_t i = 0; i < source->nr; i++) {
			struct pp_path_frame *frame = &source->frames[i];
			struct pp_frame_places *of;

			if (frame->image >= images->list.nr)
				continue;
			of = &parts[binaries[frame->image]].paths;
			if (of->frames)
				of->frames[of->nr] = frame;
			of->nr++;
		}
		free(binaries);
	}
	return 0;
}

int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile,
			const struct pp_session *session, struct pp_part *parts)
{
	struct pp_path_frame **at;
	size_t nr = 0;
	int err;

	for (size_t s = 0; s < p->sources.nr; s++)
		nr += p->sources.sources[s].nr;
	p->frames = calloc(nr + 1, sizeof(*p->frames));
	if (!p->frames)
		return -ENOMEM;
	err = share(p, profile, session, parts);
	at = p->frames;
	for (size_t i = 0; i < profile->nr_binaries && !err; i++) {
		struct pp_frame_places *of = &parts[i].paths;

		of->frames = at;
		at += of->nr;
		of->nr = 0;
	}
	return err ? err : share(p, profile, session, parts);
}

int pp_path_parts_add(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code)
{
	const struct pp_frame_places *from = &part->paths;
	struct pp_frame_places *to = &p->places;
	uint32_t first_place = to->nr_places, first_chain = to->nr_chain;

	if (to->nr_places + from->nr_places > UINT32_MAX / 2 ||
	    to->nr_chain + from->nr_chain > UINT32_MAX / 2)
		return -ENOMEM;
	for (size_t i = 0; i < from->nr_places; i++) {
		if (op_grow(&to->places, to->nr_places))
			return -ENOMEM;
		to->places[to->nr_places] = from->places[i];
		to->places[to->nr_places++].code += first_code;
	}
	for (size_t i = 0; i < from->nr_chain; i++) {
		if (op_grow(&to->chain, to->nr_chain))
			return -ENOMEM;
		to->chain[to->nr_chain++] = from->chain[i] + first_place;
	}
	for (size_t i = 0; i < from->nr; i++)
		from->frames[i]->place += first_chain;
	return 0;
}

void pp_path_parts_release(struct pp_path_parts *p)
{
	pp_path_sources_release(&p->sources);
	free(p->frames);
	free(p->places.chain);
	free(p->places.places);
	*p = (struct pp_path_parts){ 0 };
}
