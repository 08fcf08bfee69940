/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deleter.h -- deletion of directories that have been renamed out of the way, in a detached thread,
 * because a session may contain a million directories.
 *
 * The thread shares only a copy of a descriptor with the daemon. If the daemon ends before the
 * deletion is complete, the next daemon deletes the rest.
 */
#ifndef OPD_DELETER_H
#define OPD_DELETER_H

#include <stddef.h>

/*
 * Delete the directories (with all their contents) or files @names in @dirfd, in a thread; the
 * caller may free @names at once. Return 0, or a negative errno when the thread cannot be started.
 */
int opd_delete_later(int dirfd, const char *const *names, size_t nr);

#endif
