/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_places.h -- from frames of call paths that lie in one binary to functions, while its image is open.
 */
#ifndef PP_PROFILE_PART_PLACES_H
#define PP_PROFILE_PART_PLACES_H

#include "pp/base/strings.h"
#include "pp/profile/part_codes.h"

struct pp_part_places {
	struct pp_part_codes *codes;
	uint32_t *of_code;		/* by code: one more than its place; 0: none yet */
	size_t nr_of_code;
	uint32_t *inlined;		/* hash table of inlined functions, and of lines: indices of places plus one */
	size_t size;			/* of that; a power of two, or 0 */
	size_t nr_inlined;
	struct pp_intern files;		/* names of source files, owned by the part */
};

/* The samples that @frame is of have been begun. -ENOMEM. */
int pp_part_place_frame(struct pp_part_places *places, struct pp_path_frame *frame, bool is_kernel);
/* Takes a zeroed struct. */
void pp_part_places_release(struct pp_part_places *places);

#endif
