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
	struct pp_path_frame **frames;	/* the frames of all parts, by part */
	struct pp_frame_places places;	/* of all parts that pp_path_parts_take() took */
};

/* Give each part, one for each of the profile's binaries, the frames to look up. Return 0 or
 * -ENOMEM. */
int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile,
			const struct pp_session *session, struct pp_part *parts);
/* Take the places of a part, whose codes begin at the profile's @first_code. Return 0 or
 * -ENOMEM. */
int pp_path_parts_take(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code);
/* Takes a zeroed struct. */
void pp_path_parts_release(struct pp_path_parts *p);

#endif
