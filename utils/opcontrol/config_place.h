/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_place.h -- finds the file with opcontrol's settings. The file is the value of --config;
 * else the value of $OPROFILE_CONFIG; else, for root, the machine's configuration file if it
 * exists; else .oprofile/daemonrc in the home directory.
 */
#ifndef UTILS_OPCONTROL_CONFIG_PLACE_H
#define UTILS_OPCONTROL_CONFIG_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"

struct ctl_request;

/* Return the path of the file with the settings (the caller frees it), or NULL if out of memory.
 * Set *@is_machine if the path is the machine's configuration file,
 * SYSCONFDIR/oprofile/oprofile.conf. */
char *ctl_config_place(const struct ctl_request *req, bool *is_machine);

/*
 * Migrate settings from root's daemonrc, where earlier versions stored them, to the machine's
 * configuration file @path. Migrate all settings that differ from opcontrol's defaults. If
 * @is_service, all other settings become the defaults of the service. Print a line on @out. If no
 * daemonrc exists, do nothing. If the migration fails, print a warning on stderr and return 0,
 * because the command also works with the old settings file. Return -ENOMEM if out of memory.
 */
int ctl_config_move(FILE *out, const char *path, bool is_service);

#endif
