// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c -- rules for the names of sessions, shared by daemon and opcontrol.
 */
#include "config.h"
#include "libop/session/files.h"

#include <string.h>

#include "libop/base/dir.h"

bool op_session_name_ok(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > 200 || name[0] == '.' || name[0] == '-' || !strcmp(name, "current") ||
	    !strcmp(name, "oprofiled.log"))
		return false;
	for (; *name; name++) {
		unsigned char c = *name;

		if (c <= ' ' || c == 0x7f || strchr("/{}*?[]\\'\"", c))
			return false;
	}
	return true;
}

/* A session has sample files if its directory contains "{root}", "{kern}" or "{anon:...}": these
 * directories are made together with their first file. */
int op_session_has_samples(int fd)
{
	struct dirent *d;
	DIR *dir;
	int err = op_open_dir(fd, ".", &dir);

	if (err)
		return err;
	while ((d = op_next_entry(dir)) && d->d_name[0] != '{')
		;
	closedir(dir);
	return d ? 1 : 0;
}
