/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- notes beside a session's samples when, where and of what they are taken.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

#include <stdbool.h>

struct opd_config;

/*
 * Until now; @limits: what samples there are none of; @reader: opd_tables_program(); @is_named: false at first, then
 * kept: this daemon's command is among the session's. A session that goes on keeps its beginning. Best effort: a disk
 * that is full is told of by what matters more. A recorded stream is of another time and place, and gets nothing.
 */
void opd_about_write(const struct opd_config *cfg, const char *limits, const char *reader, bool *is_named,
		     int current_fd);

#endif
