/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_parts.h -- shares the frames of call paths out to the parts of a profile, and collects what these made of them.
 */
#ifndef PP_PROFILE_PATH_PARTS_H
#define PP_PROFILE_PATH_PARTS_H

#include "pp/profile/part.h"

struct pp_path_parts {
	struct pp_path_sources sources;
	struct pp_path_frame **frames;	/* the frames of all parts, one part behind the other */
	struct pp_frame_places places;	/* what all parts that were taken have found */
};

/* Tells each part, beside the profile's binaries, which frames are its to look up. -ENOMEM. */
int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile, const struct pp_session *session,
			struct pp_part *parts);
/* Takes what a part has found; its codes are the profile's from @first_code on. -ENOMEM. */
int pp_path_parts_take(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code);
/* Takes a zeroed struct. */
void pp_path_parts_release(struct pp_path_parts *p);

#endif
