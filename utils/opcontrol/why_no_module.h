/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_no_module.h -- explanations of a failed load of the module, with a way out.
 */
#ifndef UTILS_OPCONTROL_WHY_NO_MODULE_H
#define UTILS_OPCONTROL_WHY_NO_MODULE_H

#include "libop/base/reason.h"

/*
 * Store the cause of a failed load in @error, with a way out. @err is the negative errno of the
 * load; -ENOENT means that no module is installed. @root is a prefix for /proc, /sys and /lib, for
 * tests; otherwise "". @release is that of uname -r. Return @err.
 */
int ctl_why_no_module(const char *root, const char *release, int err, struct op_reason *error);

#endif
