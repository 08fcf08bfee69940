/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remembered.h -- the settings of earlier commands that differ from the defaults. */
#ifndef UTILS_OPCONTROL_REMEMBERED_H
#define UTILS_OPCONTROL_REMEMBERED_H

#include "utils/opcontrol/options.h"

/*
 * Print one line with the settings in @cfg that are neither the default nor on the command line
 * @req, as options, and the command that restores the defaults. Print nothing if there are no such
 * settings. @config_path: the file of the settings. Return 0 or -ENOMEM.
 */
int ctl_remembered_print(FILE *out, const struct op_settings *cfg, const struct ctl_request *req,
			 const char *config_path);

#endif
