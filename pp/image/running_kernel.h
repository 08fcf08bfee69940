/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running_kernel.h -- symbols of the kernel that runs, for sessions of OProfile 1.4's operf.
 *
 * Such a session has no symbols of its own. Its kernel samples are of the file /proc/kallsyms, by offsets from _text,
 * and nothing says which kernel that was.
 */
#ifndef PP_IMAGE_RUNNING_KERNEL_H
#define PP_IMAGE_RUNNING_KERNEL_H

#include <stdbool.h>

#include "libop/session/kernel_syms.h"

/* Is a sample file at @path one of those? */
bool pp_is_running_kernel(const char *path);

/* Read @root/proc/kallsyms: one image, OP_KERNEL_IMAGE. -EACCES: it shows no addresses; -ENOMEM, another negative errno. */
int pp_running_kernel_read(struct op_kernel_syms *ret, const char *root);

#endif
