/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- where the programs are that go with this one.
 */
#ifndef UTILS_SHARED_PROGRAM_H
#define UTILS_SHARED_PROGRAM_H

/*
 * The path of oprofiled or of a tool for reports, malloc'd: of the same build tree when we run from one, of the same
 * installation otherwise. Never looked for in $PATH. NULL: out of memory.
 */
char *ctl_program_find(const char *name);

#endif
