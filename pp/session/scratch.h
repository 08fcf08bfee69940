/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h -- temporary session directories, in memory if possible, because a session has a
 * thousand small files.
 *
 * A lock keeps a directory from being deleted by others. Each new directory first deletes the
 * directories of killed reports.
 */
#ifndef PP_SESSION_SCRATCH_H
#define PP_SESSION_SCRATCH_H

#include <stdbool.h>

/* A temporary directory. Initialize .lock_fd with -1. */
struct pp_scratch {
	char *dir;		/* path of the directory, or NULL */
	int lock_fd;		/* the open directory, which holds the lock, or -1 */
};

/* Make the temporary directory DIR and DIR/samples. @on_disk: make it in the user's cache. Return a
 * descriptor of DIR/samples or a negative errno; release the scratch in both cases. */
int pp_scratch_make(struct pp_scratch *scratch, bool on_disk);
/* Delete the directory and its contents, if there is one. */
void pp_scratch_release(struct pp_scratch *scratch);

#endif
