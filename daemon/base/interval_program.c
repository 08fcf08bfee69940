// SPDX-License-Identifier: GPL-2.0-or-later
/* interval_program.c -- the place of opintervals. */
#include "config.h"
#include "daemon/base/interval_program.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM		"opintervals"

char *opd_intervals_program(void)
{
	char self[PATH_MAX], *path = NULL;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		if (asprintf(&path, "%s/../intervals/" PROGRAM, dirname(self)) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	path = strdup(OPD_LIBEXEC_DIR "/" PROGRAM);
	if (path && access(path, X_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}
