/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running_kernel.h -- symbols of the running kernel, for sessions of OProfile 1.4's operf.
 *
 * Such a session has no symbols of its own. It attributes kernel samples to the file
 * /proc/kallsyms, by offsets from _text, and does not identify the kernel.
 */
#ifndef PP_IMAGE_RUNNING_KERNEL_H
#define PP_IMAGE_RUNNING_KERNEL_H

#include <stdbool.h>

#include "libop/session/kernel_syms.h"

/* Return whether a sample file at @path is attributed to /proc/kallsyms. */
bool pp_is_running_kernel(const char *path);

/* Read @root/proc/kallsyms as a single image, OP_KERNEL_IMAGE. Return 0, -EACCES if the file
 * shows no addresses, -ENOMEM, or another negative errno. */
int pp_running_kernel_read(struct op_kernel_syms *ret, const char *root);

#endif
