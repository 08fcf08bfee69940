/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real.h -- the functions of the C library that we stand in for.
 */
#ifndef PROBE_WRAP_REAL_H
#define PROBE_WRAP_REAL_H

/* The C library's own of that name; NULL: it has none. May allocate, so before there are threads, and not in a child of vfork(). */
void *real_function(const char *name);

#endif
