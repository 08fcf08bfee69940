/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h -- assigns call-path frames to the parts of a profile, which look up their functions, and
 * collects the resulting places.
 */
#ifndef PP_PATHS_PARTS_H
#define PP_PATHS_PARTS_H

#include "pp/profile/part.h"

struct pp_path_parts {
	struct pp_path_sources sources;
	/* the frames of all parts; frames of the same part are adjacent */
	struct pp_path_frame **frames;
	/* the collected places of all frames */
	struct pp_frame_places places;
};

/* Assign to each part the frames in its binary, whose functions the part looks up. @parts: one for
 * each of the profile's binaries. Return 0 or -ENOMEM. */
int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile,
			const struct pp_session *session, struct pp_part *parts);
/* Append the places of @part to the collected places. @first_code: index in the profile of the
 * part's first code. Return 0 or -ENOMEM. */
int pp_path_parts_take(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code);
/* Free the contents of @p, which may be zeroed. */
void pp_path_parts_release(struct pp_path_parts *p);

#endif
