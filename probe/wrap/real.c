// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * real.c -- lookup of real functions by dlsym(RTLD_NEXT), for collectors that are always preloaded.
 */
#include "config.h"
#include "probe/wrap/real.h"

#include <dlfcn.h>

void *real_function(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
