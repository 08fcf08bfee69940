/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_no_module.h -- explains why the kernel module could not be loaded, with a remedy.
 */
#ifndef UTILS_OPCONTROL_WHY_NO_MODULE_H
#define UTILS_OPCONTROL_WHY_NO_MODULE_H

#include "libop/base/reason.h"

/*
 * Store in @error why the module could not be loaded, with a remedy. @err: negative errno of the
 * failed load; -ENOENT: no module is installed. @root: prefix of paths in /proc, /sys and /lib, for
 * tests; otherwise "". @release: kernel release (uname -r). Return @err.
 */
int ctl_why_no_module(const char *root, const char *release, int err, struct op_reason *error);

#endif
