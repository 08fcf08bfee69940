/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h -- temporary session directories, in memory if possible, because a session has a
 * thousand small files.
 *
 * The process that creates a directory keeps it locked. Before creating a directory, a process
 * deletes all unlocked directories, which killed reports have left.
 */
#ifndef PP_SESSION_SCRATCH_H
#define PP_SESSION_SCRATCH_H

#include <stdbool.h>

/* A temporary directory. Initialize .lock_fd with -1. */
struct pp_scratch {
	char *dir;		/* path of the temporary directory, or NULL */
	int lock_fd; /* descriptor of the temporary directory, which holds the lock, or -1 */
};

/* Create a temporary directory DIR and DIR/samples. @on_disk: create DIR in the user's cache.
 * Return a descriptor of DIR/samples or a negative errno. In both cases the caller releases
 * @scratch. */
int pp_scratch_make(struct pp_scratch *scratch, bool on_disk);
/* Delete the temporary directory and its contents, if the directory was created. */
void pp_scratch_release(struct pp_scratch *scratch);

#endif
