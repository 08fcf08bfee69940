/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control_files.h -- creation of all files of oprofilefs.
 */
#ifndef OPROFILE_CONTROL_FILES_H
#define OPROFILE_CONTROL_FILES_H

struct dentry;

/* Make the files below @root. @session: the struct oprofile_session. Return 0 or -ENOMEM. */
int oprofile_create_files(void *session, struct dentry *root);

#endif
