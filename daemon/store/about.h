/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- notes beside a session's samples when, where and of what they are taken.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

struct opd_config;

/*
 * Until now; @limits: what samples there are none of; @reader: opd_tables_program(). A session that goes on keeps its beginning. Best effort: a disk that is full is told of by
 * what matters more. A recorded stream is of another time and place, and gets nothing.
 */
void opd_about_write(const struct opd_config *cfg, const char *limits, const char *reader, int current_fd);

#endif
