/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload.h -- reload of the daemon's configuration.
 */
#ifndef OPD_RELOAD_H
#define OPD_RELOAD_H

struct opd_config;
struct opd_parts;

/*
 * Read the file of --config again. Apply new values of INTERVAL and KEEP immediately, also to
 * @cfg, the configuration of @parts. Log which settings were applied, and which need a restart. Do
 * nothing without --config.
 */
void opd_reload(struct opd_parts *parts, struct opd_config *cfg);

#endif
