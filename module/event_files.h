/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_files.h -- the files of events: N/, time_slice and jitter in the root of oprofilefs, and
 * stats/eventN/.
 */
#ifndef OPROFILE_EVENT_FILES_H
#define OPROFILE_EVENT_FILES_H

struct dentry;
struct oprofile_sampling;

/* Make the files in the root, and those below @stats. Return 0 or -ENOMEM. */
int oprofile_events_create_files(struct oprofile_sampling *s, struct dentry *root);
int oprofile_events_create_stats(struct oprofile_sampling *s, struct dentry *stats);

#endif
