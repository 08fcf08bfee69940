// SPDX-License-Identifier: GPL-2.0-or-later
/* namespaces.c -- comparison of a process's namespaces with the daemon's namespaces. */
#include "config.h"
#include "daemon/image/namespaces.h"

#include <stdio.h>
#include <sys/stat.h>

bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind)
{
	char path[4096], own[64];
	struct stat ours, its;

	snprintf(path, sizeof(path), "%s/%d/ns/%s", proc_dir, (int)tgid, kind);
	snprintf(own, sizeof(own), "/proc/self/ns/%s", kind);
	return !stat(path, &its) && !stat(own, &ours) && its.st_ino != ours.st_ino;
}
