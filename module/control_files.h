/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control_files.h -- what is in oprofilefs.
 */
#ifndef OPROFILE_CONTROL_FILES_H
#define OPROFILE_CONTROL_FILES_H

struct dentry;

/* Fills the root. @session: struct oprofile_session. 0 or ENOMEM. */
int oprofile_create_files(void *session, struct dentry *root);

#endif
