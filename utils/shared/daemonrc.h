/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemonrc.h -- the settings that opcontrol remembers from one command to the next.
 * libop/settings_file.h describes the file.
 */
#ifndef UTILS_SHARED_DAEMONRC_H
#define UTILS_SHARED_DAEMONRC_H

#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/settings_file.h"

enum ctl_source {
	CTL_SOURCE_AUTO,	/* use the module if it can be loaded, otherwise perf_events */
	CTL_SOURCE_MODULE,
	CTL_SOURCE_PERF,
};

/*
 * Read the settings into @cfg, which is initialised and unchanged on failure. Return 0, -ENOENT
 * with an empty @error if the file does not exist, or another negative errno with a message in
 * @error.
 */
int ctl_settings_read(struct op_settings *cfg, const char *path, struct op_reason *error);

/* Set the defaults of the service (units/oprofile.service.in). @cfg is not initialised. Return 0 or
 * -ENOMEM. */
int ctl_settings_service(struct op_settings *cfg);

/* Read the configuration of the machine as ctl_settings_read() does, but name a line that cannot be
 * used on @warnings. @is_service: begin with the defaults of the service. */
int ctl_settings_read_machine(struct op_settings *cfg, const char *path, bool is_service,
			      FILE *warnings, struct op_reason *error);

/*
 * Replace the file atomically, and make its directory (0700) if needed. Return 0, or a negative
 * errno with a message in @error.
 */
int ctl_settings_write(const struct op_settings *cfg, const char *path, struct op_reason *error);

enum ctl_source ctl_settings_source(const struct op_settings *cfg);
const char *ctl_source_name(enum ctl_source source);
/* Return the backend that the user requires, or NULL for auto. */
const char *ctl_settings_backend(const struct op_settings *cfg);

#endif
