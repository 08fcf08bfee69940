/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_places.h -- translation of frames of call paths in one binary into functions, while its
 * image is open.
 */
#ifndef PP_PROFILE_PART_PLACES_H
#define PP_PROFILE_PART_PLACES_H

#include "pp/base/strings.h"
#include "pp/profile/part_codes.h"

struct pp_part_places {
	struct pp_part_codes *codes;
	uint32_t *of_code;		/* by code: its place + 1; 0: not made yet */
	size_t nr_of_code;
	/* hash table of inlined functions and of lines: indices of places + 1 */
	uint32_t *inlined;
	size_t size;			/* size of the hash table; a power of two, or 0 */
	size_t nr_inlined;
	struct pp_intern files;		/* names of source files, owned by the part */
};

/* Find the places of @frame, whose samples have been begun. Return 0 or -ENOMEM. */
int pp_part_place_frame(struct pp_part_places *places, struct pp_path_frame *frame, bool is_kernel);
/* Takes a zeroed struct. */
void pp_part_places_release(struct pp_part_places *places);

#endif
