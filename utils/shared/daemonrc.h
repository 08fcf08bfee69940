/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemonrc.h -- opcontrol's stored settings. libop/settings_file.h describes the file.
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
 * Read the settings in the file @path into @cfg, which must be initialised. On failure @cfg is
 * unchanged. Return 0, -ENOENT with an empty @error if the file does not exist, or another negative
 * errno with a message in @error.
 */
int ctl_settings_read(struct op_settings *cfg, const char *path, struct op_reason *error);

/* Initialise @cfg with the defaults of the service (units/oprofile.service.in). Return 0 or
 * -ENOMEM. */
int ctl_settings_service(struct op_settings *cfg);

/* Read the machine's configuration file as ctl_settings_read() does, but print invalid lines on
 * @warnings and skip them. @is_service: start with the defaults of the service. */
int ctl_settings_read_machine(struct op_settings *cfg, const char *path, bool is_service,
			      FILE *warnings, struct op_reason *error);

/*
 * Replace the file @path atomically by the settings @cfg. Create its directory (mode 0700) if it
 * does not exist. Return 0, or a negative errno with a message in @error.
 */
int ctl_settings_write(const struct op_settings *cfg, const char *path, struct op_reason *error);

enum ctl_source ctl_settings_source(const struct op_settings *cfg);
const char *ctl_source_name(enum ctl_source source);
/* Return the module's backend that the user requires, or NULL for "auto". */
const char *ctl_settings_backend(const struct op_settings *cfg);

#endif
