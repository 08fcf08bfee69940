/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- the kernel module from outside: loaded and mounted, unmounted and unloaded.
 */
#ifndef CTL_DRIVER_H
#define CTL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/error.h"

#define CTL_OPROFILEFS "/dev/oprofile"

bool ctl_driver_loaded(void);
bool ctl_driver_mounted(void);

/*
 * Loads the module (@module_file, or NULL for the installed one) unless it is there, and mounts
 * oprofilefs. Negative errno with the reason and the way out in @why.
 */
int ctl_driver_init(const char *module_file, struct ctl_error *why);

/*
 * Asks the module to sample with @wish ("auto"), and writes into @name, of @size bytes, what it will
 * sample with. Negative errno with the module's reason in @why. -ENOENT: a module without choice.
 */
int ctl_driver_set_backend(const char *wish, char *name, size_t size, struct ctl_error *why);

/* What the mounted module samples with, and its reason; false when that cannot be read. */
bool ctl_driver_backend(char *name, char *reason, size_t size);

/* The reverse; fine when nothing is loaded. -EBUSY while a daemon has the buffer open. */
int ctl_driver_deinit(struct ctl_error *why);

#endif
