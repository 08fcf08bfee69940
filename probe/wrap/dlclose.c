// SPDX-License-Identifier: GPL-2.0-or-later
/* dlclose.c -- replacement of dlclose() that notifies the collector (the probe's library):
 * another library may later be loaded at the same addresses. */
#include "config.h"

#include <dlfcn.h>

#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

__attribute__((visibility("default"))) int dlclose(void *handle)
{
	int (*real)(void *handle) = (int (*)(void *))real_function("dlclose");
	const struct hooks *h = hooks();
	int ret;

	h->unloading();
	ret = real(handle);
	h->unloaded();
	return ret;
}
