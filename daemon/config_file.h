/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_file.h -- the settings in the file of --config. A setting that cannot be used keeps its
 * earlier value, and opd_config.complaints gets a line about it: no file keeps a daemon from
 * starting.
 */
#ifndef OPD_CONFIG_FILE_H
#define OPD_CONFIG_FILE_H

#include <stdbool.h>

#include "libop/base/reason.h"

struct opd_config;

/* Read cfg->file into @cfg, which has the settings of the command line. @is_dir_given: the command
 * line has a session directory, which the file does not change. Return 0 or -ENOMEM. */
int opd_config_file_read(struct opd_config *cfg, bool is_dir_given);

/*
 * Replace events of the file, which this machine does not have, by the default event. @error: the
 * cause. Return 0; -EINVAL: the events are not those of the file; or -ENOMEM.
 */
int opd_config_file_drop_events(struct opd_config *cfg, const struct op_reason *error);

#endif
