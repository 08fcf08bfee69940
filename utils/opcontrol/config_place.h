/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_place.h -- the file of opcontrol's settings: --config, $OPROFILE_CONFIG, for root the
 * configuration of the machine where it is installed, or .oprofile/daemonrc in the home directory.
 */
#ifndef UTILS_OPCONTROL_CONFIG_PLACE_H
#define UTILS_OPCONTROL_CONFIG_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"

struct ctl_request;

/* Return the path, which the caller frees, or NULL if memory is short. Set *@is_machine if it is
 * the configuration of the machine, SYSCONFDIR/oprofile/oprofile.conf. */
char *ctl_config_place(const struct ctl_request *req, bool *is_machine);

/*
 * Move the settings that differ from opcontrol's defaults from root's daemonrc, where earlier
 * versions kept them, to the configuration of the machine @path. Print a line on @out. Do nothing
 * without such a file. @is_service: the other settings get the defaults of the service. Print a
 * warning on stderr if they cannot be moved: the command works without them. Return 0 or -ENOMEM.
 */
int ctl_config_move(FILE *out, const char *path, bool is_service);

#endif
