/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h -- the settings opcontrol remembers from one command to the next.
 *
 * On disk (daemonrc): lines NAME=value, the names those of the original opcontrol. A value with
 * anything but letters, digits and -_:,./+@% in it is written in double quotes, with backslashes
 * before " \ $ and `, and \n for a newline. Lines with # and unknown names are skipped when read.
 */
#ifndef UTILS_SHARED_SETTINGS_H
#define UTILS_SHARED_SETTINGS_H

#include "libop/base/reason.h"
#include "libop/settings.h"

enum ctl_source {
	CTL_SOURCE_AUTO,	/* the module where it loads, else perf_events */
	CTL_SOURCE_MODULE,
	CTL_SOURCE_PERF,
};

#define CTL_NO_VMLINUX "none"	/* what VMLINUX says after --no-vmlinux */

/*
 * Into an initialised @cfg. -ENOENT without text when there is no such file (which is no reason to
 * complain), otherwise negative errno with text. @cfg keeps what it was on failure.
 */
int ctl_settings_read(struct op_settings *cfg, const char *path, struct op_reason *error);

/* Replaces the file atomically, making its directory (0700) when missing. Negative errno, text. */
int ctl_settings_write(const struct op_settings *cfg, const char *path, struct op_reason *error);

enum ctl_source ctl_settings_source(const struct op_settings *cfg);
const char *ctl_source_name(enum ctl_source source);
/* What the user insists on; NULL: nothing (auto). */
const char *ctl_settings_backend(const struct op_settings *cfg);

#endif
