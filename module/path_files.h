/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_files.h -- files below stats/paths/: what became of walks, and how much there is of what they need.
 */
#ifndef OPROFILE_PATH_FILES_H
#define OPROFILE_PATH_FILES_H

struct dentry;
struct oprofile_sampling;

int oprofile_paths_create_files(struct oprofile_sampling *s, struct dentry *stats);

#endif
