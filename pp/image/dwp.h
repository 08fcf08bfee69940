/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwp.h -- DWARF packages, made by dwp and llvm-dwp: all split units of a program in one file.
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

/* Open the package in the file @fd; takes ownership of @fd. Return 0, -ENOEXEC if it is not a package or is damaged,
 * -EFBIG, -ENOMEM, -EIO, or -ENOSYS if a library to unpack it is missing, which *@ret_missing names. */
int pp_dwp_open(struct pp_dwp **ret, int fd, const char **ret_missing);
/* Takes NULL. */
void pp_dwp_close(struct pp_dwp *dwp);

/* Return another descriptor of the package's file, which the caller closes, or a negative errno. */
int pp_dwp_dup(const struct pp_dwp *dwp);

/* Make a view of the unit. Return -ENOENT if the package does not have it, else as pp_debug_view_make() does. */
int pp_dwp_view(struct pp_debug_view *ret, struct pp_dwp *dwp, uint64_t unit_id, const char **ret_missing);

#endif
