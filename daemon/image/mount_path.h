/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount_path.h -- search for the daemon's path of a file that was run in another mount namespace or
 * root directory.
 */
#ifndef OPD_MOUNT_PATH_H
#define OPD_MOUNT_PATH_H

#include <stdint.h>
#include <stdio.h>

struct opd_finder;
struct opd_identity;

/*
 * Find the daemon's path of a file that the kernel describes by @inner, a path inside the file
 * system @fs_dev, and by inode @ino of device @dev. @mountinfo, in the format of
 * /proc/self/mountinfo, lists the mounts to search. Return 0, -ENOENT or -ENOMEM. After success,
 * *@ret is the path (malloc'd) and *@identity is what @finder found; the caller frees both.
 */
int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder,
		   FILE *mountinfo, uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino);

#endif
