/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remembered.h -- the settings of earlier commands that differ from the defaults. */
#ifndef CTL_REMEMBERED_H
#define CTL_REMEMBERED_H

#include "utils/options.h"

/*
 * Print one line with the settings in @cfg that are neither the default nor on the command line @req, as options, with a way back
 * to the defaults; nothing when there are none. @config_path: the file that they are in. 0 or -ENOMEM.
 */
int ctl_remembered_print(FILE *out, const struct op_settings *cfg, const struct ctl_request *req, const char *config_path);

#endif
