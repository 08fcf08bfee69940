/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.h -- what opcontrol --status prints.
 */
#ifndef UTILS_OPCONTROL_STATUS_H
#define UTILS_OPCONTROL_STATUS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/shared/daemon.h"

/*
 * @found: the daemon of cfg->session_dir. @other: the settings in @cfg are not those it was started
 * with. Negative errno with text.
 */
int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error);

#endif
