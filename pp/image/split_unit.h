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

/* Does the unit in the program have its functions elsewhere? Fill *@ret then; its strings are the view's. */
bool pp_split_unit_of(struct pp_split_unit *ret, Dwarf_Die *skeleton);

/*
 * *@ret becomes the unit with the functions of @skeleton, which is in @view, for as long as the view's Dwarf is
 * open. False: there is no such file, or it is of no use, which has been reported.
 */
bool pp_split_unit_link(Dwarf_Die *ret, Dwarf_Die *skeleton, const struct pp_debug_view *view, struct pp_split *split);

#endif
