/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h -- the limits of a session that delete intervals: KEEP and MAX_DISK.
 *
 * A deleted interval is lost for good, so only a file of --config without errors may lower a limit.
 * The file "limits" in the session directory stores the limits of the last daemon that had such a
 * file, or only a command line.
 */
#ifndef OPD_LIMITS_H
#define OPD_LIMITS_H

#include <stdbool.h>

struct opd_config;

/*
 * Return whether the file of --config exists and has no errors, or no file was given: the limits of
 * @cfg are then those that the administrator wants. In a file with an error, any line may be the
 * wrong spelling of a limit.
 */
bool opd_limits_are_sure(const struct opd_config *cfg);

/*
 * Raise the limits of @cfg to the stored limits if the file of --config is missing or has errors.
 * Without stored limits, a file with errors gets limits that delete no interval of today. A line
 * in cfg->complaints names the raised limits. Store the limits otherwise. @dir_fd: the locked
 * session directory. Return 0, or a negative errno: the limits were not stored.
 */
int opd_limits_apply(struct opd_config *cfg, int dir_fd);

/* Store the limits of @cfg in the session directory @dir_fd. Return 0 or a negative errno. */
int opd_limits_store(const struct opd_config *cfg, int dir_fd);

/* Add a line to cfg->complaints: its limits are in use until the file is corrected. Return 0 or
 * -ENOMEM. */
int opd_limits_complain(struct opd_config *cfg);

#endif
