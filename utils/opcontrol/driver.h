/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- loads and unloads the kernel module, and mounts and unmounts its file system
 * oprofilefs.
 */
#ifndef UTILS_OPCONTROL_DRIVER_H
#define UTILS_OPCONTROL_DRIVER_H

#include <stdbool.h>

#include "libop/base/reason.h"

#define CTL_OPROFILEFS "/dev/oprofile"

bool ctl_driver_loaded(void);
bool ctl_driver_mounted(void);

/*
 * Load the module from @module_file (NULL: the installed module), unless it is loaded already, and
 * mount oprofilefs. Return 0, or a negative errno with the cause and a remedy in @error.
 */
int ctl_driver_init(const char *module_file, struct op_reason *error);

/* The module's backend (source of sampling interrupts): its name, and why the module selected it or
 * rejected the requested backend. */
struct ctl_backend {
	char name[64];
	char reason[512];
};

/*
 * Make the module select the backend @wish ("auto": its own choice), and store the result in *@ret.
 * Return 0, -ENOENT if the module has only one backend, or another negative errno with the module's
 * reason in @error.
 */
int ctl_driver_set_backend(const char *wish, struct ctl_backend *ret, struct op_reason *error);

/* Return 0 if the module can record the control groups of samples, otherwise -EOPNOTSUPP with the
 * remedy in @error. */
int ctl_driver_check_groups(struct op_reason *error);

/* Return whether a process has the module's buffer open. */
bool ctl_driver_in_use(void);

/* Read the name of the selected backend from oprofilefs. Return false if it cannot be read. */
bool ctl_driver_backend(struct ctl_backend *ret);

/* Unmount oprofilefs and unload the module. Return 0, also if the module is not loaded; -EBUSY if a
 * daemon has the module's buffer open; or another negative errno with a message in @error. */
int ctl_driver_deinit(struct op_reason *error);

#endif
