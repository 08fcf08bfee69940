/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- paths of the other programs of this installation or build tree.
 */
#ifndef UTILS_SHARED_PROGRAM_H
#define UTILS_SHARED_PROGRAM_H

/*
 * Return the malloc'd path of oprofiled or a report tool, in our own build tree or installation,
 * never from $PATH. Return NULL if memory is short.
 */
char *ctl_program_find(const char *name);

#endif
