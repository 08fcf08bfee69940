/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant_kernel.h -- the kernel or one of its modules. Symbols come from the session. Lines and
 * code come from a file of this kernel, if it exists here, or the code from the session or the
 * running kernel.
 */
#ifndef PP_IMAGE_VARIANT_KERNEL_H
#define PP_IMAGE_VARIANT_KERNEL_H

#include "pp/image/variant.h"

/* Create the kernel's variant of an image. There is one for all sessions, which are assumed to have
 * the first session's kernel. @path: path of a file with samples in the kernel, or NULL. Return 0
 * or -ENOMEM. */
int pp_variant_kernel(struct pp_variant **ret, struct pp_variants *variants, const char *path);

#endif
