/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real.h -- lookup of the C library's functions that a collector replaces.
 */
#ifndef PROBE_WRAP_REAL_H
#define PROBE_WRAP_REAL_H

/* Return the C library's function @name, or NULL. May allocate memory: call it before the program
 * has threads, and not in a child of vfork(). */
void *real_function(const char *name);

#endif
