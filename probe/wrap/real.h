/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real.h -- the C library's functions that we replace.
 */
#ifndef PROBE_WRAP_REAL_H
#define PROBE_WRAP_REAL_H

/* Return the C library's function of that name, or NULL. It may allocate: call it before there are
 * threads, and not in a child of vfork(). */
void *real_function(const char *name);

#endif
