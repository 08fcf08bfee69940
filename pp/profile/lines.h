/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- the source lines of a part: of its codes, and of the addresses in its details.
 */
#ifndef PP_PROFILE_LINES_H
#define PP_PROFILE_LINES_H

#include "pp/profile/part.h"

/* Each address is asked for once, in ascending order. -ENOMEM. */
int pp_part_find_lines(struct pp_part *part, struct pp_image *image);

#endif
