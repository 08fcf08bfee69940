/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_files.h -- the session directory from outside: resetting and saving a session that no daemon
 * is writing to.
 *
 * A running daemon does both itself; these are for when there is none. No symbolic link below the
 * session directory is followed.
 */
#ifndef UTILS_SHARED_SESSION_FILES_H
#define UTILS_SHARED_SESSION_FILES_H

#include "libop/base/reason.h"

/*
 * A descriptor (O_PATH) of the session directory, or negative errno with text; -ENOENT without. Root
 * goes into none that somebody else could change under its hands (libop/base/owner.h).
 */
int ctl_session_open(const char *session_dir, struct op_reason *error);

/* A descriptor of DIR/samples, or negative errno with text; -ENOENT without. */
int ctl_session_open_samples(const char *session_dir, struct op_reason *error);

/* Whether DIR/samples/NAME has sample files: 1, 0, or negative errno with text; -ENOENT without. */
int ctl_session_has_samples(const char *session_dir, const char *name, struct op_reason *error);

/* Empties DIR/samples/current. Fine when there is none. */
int ctl_session_reset(const char *session_dir, struct op_reason *error);

/* Correct the totals of DIR/samples/NAME if its daemon was killed; @samples is a descriptor of DIR/samples. Return 0,
 * -EBUSY if the daemon may be alive, or another negative errno. */
int ctl_session_recover(int samples, const char *name);

/* Moves DIR/samples/current to DIR/samples/NAME. -EEXIST, -EINVAL for a bad name;
 * -ENOENT, -ENODATA: there is nothing to save. */
int ctl_session_save(const char *session_dir, const char *name, struct op_reason *error);

/* Removes DIR/samples/NAME, a saved session. -ENOENT: there is none; -EINVAL for a bad name. */
int ctl_session_delete(const char *session_dir, const char *name, struct op_reason *error);
/* The same for what stands beside the sessions, and is called as none can be. */
int ctl_session_remove(const char *session_dir, const char *name, struct op_reason *error);

/* Whether --save may use it. -EINVAL with text. */
int ctl_session_check_name(const char *name, struct op_reason *error);

#endif
