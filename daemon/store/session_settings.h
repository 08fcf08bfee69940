/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_settings.h -- the file stats/settings of a session: the settings of the daemon that took
 * its samples. The daemon warns if settings change within a session.
 */
#ifndef OPD_SESSION_SETTINGS_H
#define OPD_SESSION_SETTINGS_H

#include <stddef.h>

struct opd_config;

/* Return the configured events with their filters as "NAME:COUNT:UM:KERNEL:USER[/FILTER][,...]",
 * or NULL if out of memory. The caller frees the string. */
char *opd_settings_events(const struct opd_config *cfg);

/*
 * Return a text that describes how @cfg differs from the settings of the session @current_fd, such
 * as "events A, now B; separate lib, now none". The caller frees the text. Return NULL if the
 * settings are equal or the session has no samples.
 */
char *opd_settings_changed(const struct opd_config *cfg, int current_fd);

/* Write the settings of @cfg to the session's file. Return 0 or a negative errno. */
int opd_settings_write(const struct opd_config *cfg, int current_fd);

#endif
