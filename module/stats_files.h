/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats_files.h -- the directory stats/ of oprofilefs.
 */
#ifndef OPROFILE_STATS_FILES_H
#define OPROFILE_STATS_FILES_H

struct dentry;
struct oprofile_sampling;

/* Make stats/ and all files below it. Return 0 or -ENOMEM. */
int oprofile_stats_create_files(struct oprofile_sampling *s, struct dentry *root);

#endif
