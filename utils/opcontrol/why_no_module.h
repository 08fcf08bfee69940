/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_no_module.h -- why a kernel does not take our module, and what to do about it.
 */
#ifndef UTILS_OPCONTROL_WHY_NO_MODULE_H
#define UTILS_OPCONTROL_WHY_NO_MODULE_H

#include "libop/base/reason.h"

/*
 * The cause of a failed attempt to load the module with negative errno @err (-ENOENT: there is no
 * such module), as sentences in @why. @root stands before /proc, /sys and /lib: "" but in tests.
 * @release as in uname -r. Returns @err.
 */
int ctl_why_no_module(const char *root, const char *release, int err, struct op_reason *error);

#endif
