/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount_path.h -- our own name for a file that somebody in another mount namespace, or with another
 * root directory, ran.
 */
#ifndef OPD_MOUNT_PATH_H
#define OPD_MOUNT_PATH_H

#include <stdint.h>
#include <stdio.h>

struct opd_finder;
struct opd_identity;

/*
 * Looks through @mountinfo, in the format of /proc/self/mountinfo, for a mount of the file system
 * @fs_dev below which @inner, a path in that file system, is inode @ino of device @dev. *@ret:
 * malloc'd; *@identity: what @finder says of it, to be released. 0, -ENOENT or -ENOMEM.
 */
int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder, FILE *mountinfo,
		   uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino);

#endif
