/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- notes beside a session's samples when, where and of what they are taken.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

#include <stdbool.h>

struct opd_config;

/*
 * Write that the session's samples are taken until now. @limits: the samples that the daemon does not take; @reader:
 * opd_tables_program(); @is_named: false at first; true when the daemon's command has been added to the session's. A
 * continued session keeps its beginning. Write nothing for a recorded stream, which is of another time and machine.
 * Return 0 or a negative errno.
 */
int opd_about_write(const struct opd_config *cfg, const char *limits, const char *reader, bool *is_named, int current_fd);

#endif
