/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next.h -- lookup of the real function that a library replaces.
 */
#ifndef PROBE_WRAP_NEXT_H
#define PROBE_WRAP_NEXT_H

#include <dlfcn.h>

#include "probe/wrap/calls.h"

#pragma weak opprobe_real

/* Return the function @name that the program would call if the calling library did not replace
 * it, or NULL. */
static inline void *next_function(const char *name)
{
	void *real = opprobe_real ? opprobe_real(name, (const void *)&next_function) : NULL;

	return real ? real : dlsym(RTLD_NEXT, name);
}

#endif
