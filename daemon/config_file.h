/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_file.h -- parsing of the file of --config. If a setting is invalid, it keeps its earlier
 * value, and a line about it is added to opd_config.complaints: an invalid file never prevents the
 * daemon's start.
 */
#ifndef OPD_CONFIG_FILE_H
#define OPD_CONFIG_FILE_H

#include <stdbool.h>

#include "libop/base/reason.h"

struct opd_config;

/*
 * Read the file cfg->file into @cfg, which already has the settings of the command line.
 * @is_dir_given: the command line sets the session directory, so the file must not change it.
 * Return 0 or -ENOMEM.
 */
int opd_config_file_read(struct opd_config *cfg, bool is_dir_given);

/*
 * If the events of the file do not exist on this machine, replace them by the default event.
 * @error: the message to record. Return 0; -EINVAL if the events are not from the file; or
 * -ENOMEM.
 */
int opd_config_file_drop_events(struct opd_config *cfg, const struct op_reason *error);

#endif
