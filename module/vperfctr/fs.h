/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/fs.h -- vperfctrfs: files that are references to objects.
 */
#ifndef VPERFCTR_FS_H
#define VPERFCTR_FS_H

#include <linux/types.h>

struct vperfctr;

#define VPERFCTRFS_MAGIC	0x56504d43	/* "VPMC" */

/* A descriptor with a file of its own, which has a reference of its own. */
int vperfctr_open_file(struct vperfctr *v, bool cloexec);

#endif
