// SPDX-License-Identifier: LGPL-2.1-or-later
/* fail.c -- the message of a handle's last error. */
#include "config.h"

#include <stdio.h>

#include "libvperf/private.h"

int vperf_fail(struct vperf *v, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->error, sizeof(v->error), format, args);
	va_end(args);
	return err;
}
