// SPDX-License-Identifier: LGPL-2.1-or-later
/* fail.c -- functions that the backends share: storing an error message in a handle, and replacing
 * a descriptor by one with a high number. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "libvperf/private.h"

int vperf_fail(struct vperf *v, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->error, sizeof(v->error), format, args);
	va_end(args);
	return err;
}

int vperf_place(const struct vperf *v, int fd)
{
	static const int places[] = { 900, 200, 100 };

	for (size_t i = 0;
	     fd >= 0 && v->flags & VPERF_HIGH && i < sizeof(places) / sizeof(places[0]); i++) {
		int high = fcntl(fd, F_DUPFD_CLOEXEC, places[i]);

		if (high >= 0) {
			close(fd);
			return high;
		}
	}
	return fd;
}
