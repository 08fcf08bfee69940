/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storage_kernel.h -- the kernel's symbols in a session, and sessions of another kernel. */
#ifndef OPD_STORAGE_KERNEL_H
#define OPD_STORAGE_KERNEL_H

#include <stdbool.h>

#include "libop/base/reason.h"

struct opd_storage;

/* Create @k->kernel. If the samples of the current session were taken on another kernel, rename the
 * session. Return 0, or a negative errno with a message in @error. */
int opd_storage_create_kernel(struct opd_storage *k, struct op_reason *error);

/* Write the kernel's symbols to the current session, if they have changed. The function reads
 * samples while it writes. @now: do not wait until the next time at which a change may be
 * written. */
void opd_storage_write_kernel_symbols(struct opd_storage *k, bool now);

#endif
