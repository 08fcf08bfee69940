/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_program.h -- path of the program opintervals, which packs and merges intervals. */
#ifndef OPD_INTERVAL_PROGRAM_H
#define OPD_INTERVAL_PROGRAM_H

/*
 * Return the path of opintervals: in the build tree if the daemon runs there, otherwise among the
 * installed programs. Return NULL if the program is missing or memory is short. The caller frees
 * the path.
 */
char *opd_intervals_program(void);

#endif
