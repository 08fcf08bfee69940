/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- loading, mounting, unmounting and unloading the kernel module.
 */
#ifndef UTILS_OPCONTROL_DRIVER_H
#define UTILS_OPCONTROL_DRIVER_H

#include <stdbool.h>

#include "libop/base/reason.h"

#define CTL_OPROFILEFS "/dev/oprofile"

bool ctl_driver_loaded(void);
bool ctl_driver_mounted(void);

/*
 * Load the module from @module_file (NULL: the installed module) if it is not loaded yet, and mount
 * oprofilefs. Return 0, or a negative errno with the cause and the remedy in @error.
 */
int ctl_driver_init(const char *module_file, struct op_reason *error);

/* Name of the module's backend, and why it was selected, or why the required one was not. */
struct ctl_backend {
	char name[64];
	char reason[512];
};

/*
 * Select the module's backend @wish ("auto": let the module choose). Return 0, -ENOENT for a module
 * with only one backend, or another negative errno with the module's reason in @error.
 */
int ctl_driver_set_backend(const char *wish, struct ctl_backend *ret, struct op_reason *error);

/* Return whether a process has the module's buffer open. */
bool ctl_driver_in_use(void);

/* Read the backend from the mounted module. Return false if it cannot be read. */
bool ctl_driver_backend(struct ctl_backend *ret);

/* Unmount oprofilefs and unload the module. Return 0, also if no module is loaded; -EBUSY while a
 * daemon has the buffer open; or another negative errno with a message in @error. */
int ctl_driver_deinit(struct op_reason *error);

#endif
