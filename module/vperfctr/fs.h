/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/fs.h -- vperfctrfs, whose files are references to objects.
 */
#ifndef VPERFCTR_FS_H
#define VPERFCTR_FS_H

#include <linux/types.h>

struct file;
struct vperfctr;

#define VPERFCTRFS_MAGIC	0x56504d43	/* the bytes "VPMC" */

/*
 * Create a file with a reference to @v, and reserve a descriptor for it. Return the descriptor or a
 * negative errno. The caller must install the file, or release both the file and the descriptor.
 */
int vperfctr_make_file(struct vperfctr *v, bool cloexec, struct file **file);
/* Open a new file of the object. Return the file's descriptor or a negative errno. */
int vperfctr_open_file(struct vperfctr *v, bool cloexec);

#endif
