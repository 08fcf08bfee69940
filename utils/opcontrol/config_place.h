/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_place.h -- location of opcontrol's settings: --config; $OPROFILE_CONFIG; for root, the
 * machine's configuration file if it exists; or .oprofile/daemonrc in the home directory.
 */
#ifndef UTILS_OPCONTROL_CONFIG_PLACE_H
#define UTILS_OPCONTROL_CONFIG_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"

struct ctl_request;

/* Return the path of the settings (the caller frees it), or NULL if out of memory. Set *@is_machine
 * if it is the machine's configuration file, SYSCONFDIR/oprofile/oprofile.conf. */
char *ctl_config_place(const struct ctl_request *req, bool *is_machine);

/*
 * Migrate settings from root's daemonrc, where earlier versions stored them, to the machine's
 * configuration file @path: all settings that differ from opcontrol's defaults. Print a line on
 * @out. If no daemonrc exists, do nothing. @is_service: the other settings get the service's
 * defaults. On failure, print a warning on stderr, and return 0: the command works without them.
 * Return -ENOMEM if out of memory.
 */
int ctl_config_move(FILE *out, const char *path, bool is_service);

#endif
