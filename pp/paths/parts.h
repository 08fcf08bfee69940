/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h -- distribution of the frames of call paths to the parts of a profile, and
 * collection of their places.
 */
#ifndef PP_PATHS_PARTS_H
#define PP_PATHS_PARTS_H

#include "pp/profile/part.h"

struct pp_path_parts {
	struct pp_path_sources sources;
	struct pp_path_frame **frames;	/* frames of all parts; the frames of a part are adjacent */
	/* places of the frames of all parts that pp_path_parts_take() took */
	struct pp_frame_places places;
};

/* Give each part the frames in its binary, which it has to look up. @parts: one for each of the
 * profile's binaries. Return 0 or -ENOMEM. */
int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile,
			const struct pp_session *session, struct pp_part *parts);
/* Add the places of @part to those of all parts. @first_code: the index in the profile of the
 * part's first code. Return 0 or -ENOMEM. */
int pp_path_parts_take(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code);
/* @p may be zeroed. */
void pp_path_parts_release(struct pp_path_parts *p);

#endif
