// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * real.c -- the C library's functions are what would have been found without us.
 */
#include "config.h"
#include "probe/wrap/real.h"

#include <dlfcn.h>

void *real_function(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
