/* SPDX-License-Identifier: GPL-2.0 */
/* paths/files.h -- files below stats/paths/: counters of stack walks, and sizes of the data of
 * call paths. */
#ifndef OPROFILE_PATHS_FILES_H
#define OPROFILE_PATHS_FILES_H

struct dentry;
struct oprofile_sampling;

int oprofile_paths_create_files(struct oprofile_sampling *s, struct dentry *stats);

#endif
