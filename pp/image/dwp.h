/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwp.h -- DWARF packages, made by dwp and llvm-dwp: all split units of a program in one file.
 *
 * A package has an index from the id of a unit to the unit's parts of each section. All units share
 * one section of strings, which may be large. The view of a unit contains only the strings that the
 * unit refers to.
 */
#ifndef PP_IMAGE_DWP_H
#define PP_IMAGE_DWP_H

#include <stdint.h>

#include "pp/image/debug_view.h"
#include "pp/image/elf.h"

struct pp_dwp;

/* Open the package in the file @fd; takes ownership of @fd. Return 0, -ENOEXEC if it is not a
 * package or is damaged, -EFBIG, -ENOMEM, -EIO, or -ENOSYS if the library to unpack it is missing;
 * *@ret_missing is the library's name then. */
int pp_dwp_open(struct pp_dwp **ret, int fd, const char **ret_missing);
/* Takes NULL. */
void pp_dwp_close(struct pp_dwp *dwp);

/* Return another descriptor of the package's file, which the caller closes, or a negative errno. */
int pp_dwp_dup(const struct pp_dwp *dwp);

/* Make a view of the unit. Return the results of pp_debug_view_make(), and -ENOENT if the package
 * does not have the unit. */
int pp_dwp_view(struct pp_debug_view *ret, struct pp_dwp *dwp, uint64_t unit_id,
		const char **ret_missing);

#endif
