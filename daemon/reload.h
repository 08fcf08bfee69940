/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload.h -- the daemon reads its configuration again.
 */
#ifndef OPD_RELOAD_H
#define OPD_RELOAD_H

struct opd_config;
struct opd_parts;

/*
 * Read the file of --config again. Use the new times of intervals at once, also in @cfg, which is
 * the configuration of @parts; log which settings are in use now and which need another start. Do
 * nothing without --config.
 */
void opd_reload(struct opd_parts *parts, struct opd_config *cfg);

#endif
