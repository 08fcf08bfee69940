/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_files.h -- resets, saves and deletes sessions that no daemon uses. A running daemon
 * handles these requests itself.
 *
 * Symbolic links below the session directory are not followed.
 */
#ifndef UTILS_SHARED_SESSION_FILES_H
#define UTILS_SHARED_SESSION_FILES_H

#include "libop/base/reason.h"
#include "libop/session/client.h"

/* Return a descriptor of DIR/samples for @use, -ENOENT if the directory does not exist, or another
 * negative errno with a message in @error. */
int ctl_session_open_samples(const char *session_dir, enum op_session_use use,
			     struct op_reason *error);

/*
 * Return 1 if DIR/samples/NAME has sample files, 0 if it has no sample files, -ENOENT if the
 * directory does not exist, or another negative errno with a message in @error.
 */
int ctl_session_has_samples(const char *session_dir, const char *name, struct op_reason *error);

/* Remove all files of the current session, DIR/samples/current, if it exists. */
int ctl_session_reset(const char *session_dir, struct op_reason *error);

/* If the daemon of DIR/samples/NAME was killed, correct the session's totals. @samples: descriptor
 * of DIR/samples. Return 0, -EBUSY if the daemon may be running, or another negative errno. */
int ctl_session_recover(int samples, const char *name);

/*
 * Rename DIR/samples/current to DIR/samples/NAME. Return 0, -EEXIST, -EINVAL for an invalid name,
 * or -ENOENT or -ENODATA if no samples exist.
 */
int ctl_session_save(const char *session_dir, const char *name, struct op_reason *error);

/*
 * Remove the saved session DIR/samples/NAME. Return 0, -ENOENT if it does not exist, or -EINVAL for
 * an invalid name.
 */
int ctl_session_delete(const char *session_dir, const char *name, struct op_reason *error);
/* Remove a directory in DIR/samples whose name is not a valid session name. */
int ctl_session_remove(const char *session_dir, const char *name, struct op_reason *error);

/* Check whether @name is valid as the name of a saved session. Return 0, or -EINVAL with a message
 * in @error. */
int ctl_session_check_name(const char *name, struct op_reason *error);

#endif
