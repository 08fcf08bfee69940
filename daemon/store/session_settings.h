/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_settings.h -- the file stats/settings of a session: the settings with which its samples
 * were taken, so that the daemon can warn when settings change within a session.
 */
#ifndef OPD_SESSION_SETTINGS_H
#define OPD_SESSION_SETTINGS_H

#include <stddef.h>

struct opd_config;

/* Return the configured events with their filters as "NAME:COUNT:UM:KERNEL:USER[/FILTER][,...]",
 * malloc'd, or NULL if out of memory. */
char *opd_settings_events(const struct opd_config *cfg);

/*
 * Return how @cfg differs from the settings of the session in @current_fd, as a malloc'd text like
 * "events A, now B; separate lib, now none". Return NULL if there is no difference, or the session
 * has no samples.
 */
char *opd_settings_changed(const struct opd_config *cfg, int current_fd);

/* Write the settings in @cfg to the session's file. Return 0 or a negative errno. */
int opd_settings_write(const struct opd_config *cfg, int current_fd);

#endif
