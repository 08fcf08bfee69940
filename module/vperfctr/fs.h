/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/fs.h -- vperfctrfs, whose files are references to objects.
 */
#ifndef VPERFCTR_FS_H
#define VPERFCTR_FS_H

#include <linux/types.h>

struct file;
struct vperfctr;

#define VPERFCTRFS_MAGIC	0x56504d43	/* "VPMC" */

/* Make a file of @v, which has a reference of its own, and reserve a descriptor for it. Return
 * the descriptor: the caller installs the file, or puts both. */
int vperfctr_make_file(struct vperfctr *v, bool cloexec, struct file **file);
/* Return a descriptor with a file of its own. */
int vperfctr_open_file(struct vperfctr *v, bool cloexec);

#endif
