/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_below.h -- opens a file whose path a user chose, without leaving a directory. */
#ifndef OPD_OPEN_BELOW_H
#define OPD_OPEN_BELOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open the file @path below the directory @dir with O_PATH, one component of the path at a time.
 * A leading slash stands for @dir. Symbolic links and ".." are refused. @same_mount: also refuse
 * files on other mounts than @dir.
 *
 * openat2() could do this in one call. But seccomp filters cannot examine its arguments, so systemd
 * refuses the call in services with RestrictSUIDSGID=, such as oprofile.service.
 *
 * Return a descriptor, which the caller closes, or a negative errno: -ELOOP for "..", -EXDEV for a
 * file on another mount, -ENOTDIR or -ENOENT (among others) if a component does not exist or is a
 * symbolic link. A symbolic link at the end of the path is opened itself.
 */
int opd_open_below(int dir, const char *path, bool same_mount);

/* Return the id of the mount that contains file @fd, or 0 if the kernel does not report it. */
uint64_t opd_mount_of(int fd);

#endif
