/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwp.h -- DWARF packages: one file with the split units of a program, as dwp and llvm-dwp make it.
 *
 * A package has an index from the identity of a unit to its parts of each section. All units share one section of
 * strings, which may be large: a view of one unit has only the strings that the unit names.
 */
#ifndef PP_IMAGE_DWP_H
#define PP_IMAGE_DWP_H

#include <stdint.h>

#include "pp/image/debug_view.h"
#include "pp/image/elf.h"

struct pp_dwp;

/* The package in the open file @fd, which the package owns then. -ENOEXEC: none, or damaged; -EFBIG; -ENOMEM; -EIO. */
int pp_dwp_open(struct pp_dwp **ret, int fd);
/* Takes NULL. */
void pp_dwp_close(struct pp_dwp *dwp);

/* A view of the unit. -ENOENT: it is not in the package; or as pp_debug_view_make(). */
int pp_dwp_view(struct pp_debug_view *ret, struct pp_dwp *dwp, uint64_t unit_id, const char **ret_missing);

#endif
