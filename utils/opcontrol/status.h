/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.h -- the output of opcontrol --status.
 */
#ifndef UTILS_OPCONTROL_STATUS_H
#define UTILS_OPCONTROL_STATUS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/shared/daemon.h"

/*
 * Print the status. @found: the daemon of cfg->session_dir. @other: the daemon was started with
 * other settings than @cfg. Return 0, or a negative errno with a message in @error.
 */
int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error);

#endif
