// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c -- paths of the other programs of this installation or build tree.
 */
#include "config.h"
#include "utils/shared/program.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Directories relative to the program's own directory: first those of an installation, then those
 * of a build tree. */
static const char *const places[] = { "../sbin", "../bin", ".", "../../daemon", "../../pp" };

char *ctl_program_find(const char *name)
{
	char self[PATH_MAX], *path;
	const char *dir;
	ssize_t len;

	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		dir = dirname(self);
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			if (asprintf(&path, "%s/%s/%s", dir, places[i], name) < 0)
				return NULL;
			if (access(path, X_OK) == 0)
				return path;
			free(path);
		}
	}
	if (asprintf(&path, "%s/%s", SBINDIR, name) < 0)
		return NULL;
	return path;
}
