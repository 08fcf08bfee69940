/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control_files.h -- the files of oprofilefs.
 */
#ifndef OPROFILE_CONTROL_FILES_H
#define OPROFILE_CONTROL_FILES_H

struct dentry;
struct file_operations;
struct oprofile_sampling;

/* Create all files below the root directory @root. @session: the struct oprofile_session. Return 0
 * or -ENOMEM. */
int oprofile_create_files(void *session, struct dentry *root);

/* The file `buffer`. A session lasts from the opening to the release of this file. */
extern const struct file_operations oprofile_buffer_fops;

/* Create stats/ and all files below it. Return 0 or -ENOMEM. */
int oprofile_stats_create_files(struct oprofile_sampling *s, struct dentry *root);

/* Create the files of events: the directories N/, the files time_slice and jitter in the root,
 * and the directories eventN/ in the directory @stats. Return 0 or -ENOMEM. */
int oprofile_events_create_files(struct oprofile_sampling *s, struct dentry *root);
int oprofile_events_create_stats(struct oprofile_sampling *s, struct dentry *stats);

#endif
