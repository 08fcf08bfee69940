/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- the kernel module from outside: loaded and mounted, unmounted and unloaded.
 */
#ifndef CTL_DRIVER_H
#define CTL_DRIVER_H

#include <stdbool.h>

#include "utils/error.h"

#define CTL_OPROFILEFS "/dev/oprofile"

bool ctl_driver_loaded(void);
bool ctl_driver_mounted(void);

/*
 * Loads the module (@module_file, or NULL for the installed one) unless it is there, and mounts
 * oprofilefs. Negative errno with the reason and the way out in @why.
 */
int ctl_driver_init(const char *module_file, struct ctl_error *why);

/* The reverse; fine when nothing is loaded. -EBUSY while a daemon has the buffer open. */
int ctl_driver_deinit(struct ctl_error *why);

#endif
