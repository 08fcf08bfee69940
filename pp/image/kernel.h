/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h -- symbols of the kernel and its modules, from the copy in the session.
 */
#ifndef PP_IMAGE_KERNEL_H
#define PP_IMAGE_KERNEL_H

#include "libop/session/kernel_syms.h"
#include "pp/image/symtab.h"

/* Make the table, whose names belong to @image. Return 0 or -ENOMEM. */
int pp_kernel_symtab_make(struct pp_symtab *ret, const struct op_kimage *image);

#endif
