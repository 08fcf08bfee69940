/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- the kernel module from outside: loaded and mounted, unmounted and unloaded.
 */
#ifndef UTILS_OPCONTROL_DRIVER_H
#define UTILS_OPCONTROL_DRIVER_H

#include <stdbool.h>

#include "libop/base/reason.h"

#define CTL_OPROFILEFS "/dev/oprofile"

bool ctl_driver_loaded(void);
bool ctl_driver_mounted(void);

/*
 * Loads the module (@module_file, or NULL for the installed one) unless it is there, and mounts
 * oprofilefs. Negative errno with the reason and the way out in @why.
 */
int ctl_driver_init(const char *module_file, struct op_reason *error);

/* The backend that the module samples with, and why this one, or why not the one that was asked
 * for. */
struct ctl_backend {
	char name[64];
	char reason[512];
};

/*
 * Asks the module to sample with @wish ("auto"). Negative errno with the module's reason in @why;
 * -ENOENT: a module without choice.
 */
int ctl_driver_set_backend(const char *wish, struct ctl_backend *ret, struct op_reason *error);

/* Somebody has the module's buffer open. */
bool ctl_driver_in_use(void);

/* As the mounted module says; false when that cannot be read. */
bool ctl_driver_backend(struct ctl_backend *ret);

/* The reverse; fine when nothing is loaded. -EBUSY while a daemon has the buffer open. */
int ctl_driver_deinit(struct op_reason *error);

#endif
