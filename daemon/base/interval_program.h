/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_program.h -- the place of opintervals. */
#ifndef OPD_INTERVAL_PROGRAM_H
#define OPD_INTERVAL_PROGRAM_H

/* Return the path of opintervals, malloc'd: beside the daemon in the build tree, else among the
 * installed programs. Return NULL if the program is missing, or out of memory. */
char *opd_intervals_program(void);

#endif
