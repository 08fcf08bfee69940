/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h -- assignment of call-path frames to the parts of a profile. A part has the samples of
 * one binary, and looks up the functions at its frames. Then the functions of all parts are
 * collected.
 */
#ifndef PP_PATHS_PARTS_H
#define PP_PATHS_PARTS_H

#include "pp/profile/part.h"

struct pp_path_parts {
	struct pp_path_sources sources;
	/* the frames of all parts; frames of the same part are adjacent */
	struct pp_path_frame **frames;
	/* the places (functions) of all frames, collected from all parts */
	struct pp_frame_places places;
};

/* Assign each frame to the part of its binary, which looks up the function of the frame. @parts:
 * one for each of the profile's binaries. Return 0 or -ENOMEM. */
int pp_path_parts_share(struct pp_path_parts *p, const struct pp_profile *profile,
			const struct pp_session *session, struct pp_part *parts);
/* Append the places (functions) that @part found to the collected places. @first_code: index in the
 * profile of the first code of the part. Return 0 or -ENOMEM. */
int pp_path_parts_add(struct pp_path_parts *p, const struct pp_part *part, uint32_t first_code);
/* Free the contents of @p, which may be zeroed. */
void pp_path_parts_release(struct pp_path_parts *p);

#endif
