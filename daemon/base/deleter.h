/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deleter.h -- deletion of directories in a detached thread, because a session may contain a
 * million directories. The caller first renames the directories to a name that marks them for
 * deletion.
 *
 * The thread shares no data with the daemon and uses its own copy of the directory's descriptor. If
 * the daemon ends before the deletion is complete, the next daemon completes it.
 */
#ifndef OPD_DELETER_H
#define OPD_DELETER_H

#include <stddef.h>

/* Start a thread that deletes the files and directory trees @names in @dirfd. The caller may free
 * @names after the call. Return 0, or a negative errno if the thread cannot be started. */
int opd_delete_later(int dirfd, const char *const *names, size_t nr);

#endif
