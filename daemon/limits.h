/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h -- the settings that limit how long and how many intervals are kept: KEEP and MAX_DISK.
 *
 * A deleted interval cannot be restored, so the daemon lowers a limit only if it can trust the
 * settings: it has read the file of --config without errors, or has no --config. The file "limits"
 * in the session directory stores the limits of the last daemon that could trust its settings.
 */
#ifndef OPD_LIMITS_H
#define OPD_LIMITS_H

#include <stdbool.h>

struct opd_config;

/*
 * Return true if the limits of @cfg are certainly those that the administrator wants: the file of
 * --config exists and has no errors, or --config was not given. In a file with an error, the
 * erroneous line may be a misspelt limit.
 */
bool opd_limits_are_sure(const struct opd_config *cfg);

/*
 * If opd_limits_are_sure(), store the limits of @cfg. Otherwise raise the limits of @cfg to the
 * stored limits or, if no limits are stored and the file of --config has errors, to limits that
 * delete no existing interval; and add a line about raised limits to cfg->complaints. @dir_fd: the
 * session directory, which must be locked. Return 0, or a negative errno if the limits could not be
 * stored.
 */
int opd_limits_apply(struct opd_config *cfg, int dir_fd);

/* Store the limits of @cfg in the session directory @dir_fd. Return 0 or a negative errno. */
int opd_limits_store(const struct opd_config *cfg, int dir_fd);

/* Add a line to cfg->complaints, which says that the current limits are used until the file of
 * --config is corrected. Return 0 or -ENOMEM. */
int opd_limits_complain(struct opd_config *cfg);

#endif
