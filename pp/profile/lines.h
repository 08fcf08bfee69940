/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- the source lines of a part's codes, and of the addresses in its details.
 */
#ifndef PP_PROFILE_LINES_H
#define PP_PROFILE_LINES_H

#include "pp/profile/part.h"

/* Look up each address once, in ascending order. Return 0 or -ENOMEM. */
int pp_part_find_lines(struct pp_part *part, struct pp_image *image);

#endif
