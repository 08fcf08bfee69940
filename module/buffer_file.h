/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer_file.h -- the file `buffer`. A session lasts from the opening to the release of this file.
 */
#ifndef OPROFILE_BUFFER_FILE_H
#define OPROFILE_BUFFER_FILE_H

#include <linux/fs.h>

extern const struct file_operations oprofile_buffer_fops;

#endif
