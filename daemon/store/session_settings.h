/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_settings.h -- what a session's samples were taken with, kept with them (stats/settings), so
 * that a change in the middle of a session is told when it is made, not found in a report.
 */
#ifndef OPD_SESSION_SETTINGS_H
#define OPD_SESSION_SETTINGS_H

#include <stddef.h>

struct opd_config;

/* "NAME:COUNT:UM:KERNEL:USER[,...]". */
void opd_settings_events(const struct opd_config *cfg, char *text, size_t size);

/*
 * How @cfg differs from what the session in @current_fd was sampled with so far: a malloc'd text, as
 * "events A, now B; separate lib, now none". NULL: not at all, or there are no samples.
 */
char *opd_settings_changed(const struct opd_config *cfg, int current_fd);

/* The session goes on with @cfg. 0 or negative errno. */
int opd_settings_write(const struct opd_config *cfg, int current_fd);

#endif
