/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split_unit.h -- gives libdw the split part of a compilation unit.
 */
#ifndef PP_IMAGE_SPLIT_UNIT_H
#define PP_IMAGE_SPLIT_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "pp/image/debug_view.h"
#include "pp/image/split.h"

/* Return whether the functions of the program's unit @skeleton are in another file. If so, fill in
 * *@ret with strings of the view. */
bool pp_split_unit_of(struct pp_split_unit *ret, Dwarf_Die *skeleton);

/*
 * Set *@ret to the unit with the functions of @skeleton, a unit in @view; valid while the view's
 * Dwarf is open. Return false, after a warning, if the file is missing or cannot be used.
 */
bool pp_split_unit_link(Dwarf_Die *ret, Dwarf_Die *skeleton, const struct pp_debug_view *view,
			struct pp_split *split);

#endif
