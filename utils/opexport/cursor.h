/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor.h -- the file with the time up to which the service has sent intervals.
 *
 * Without this file, the service continues after the last interval that the server has. The file is
 * needed only if the server deletes rows earlier than this host deletes intervals: it prevents that
 * such intervals are sent again.
 */
#ifndef OPEXPORT_CURSOR_H
#define OPEXPORT_CURSOR_H

#include <stdint.h>

#include "libop/base/reason.h"

#define EXPORT_CURSOR_MAX	4096	/* largest size of the file in bytes */

struct export_cursor {
	int dir;		/* the directory of the file, locked; -1: no cursor */
	const char *name;	/* name of the file in the directory; not owned */
};

/* Open the directory of the cursor @path, and lock it, so that only one service uses the cursor.
 * Return 0, -EBUSY if another service uses it, or another negative errno, with a message. @path
 * must outlive *@ret. */
int export_cursor_open(struct export_cursor *ret, const char *path, struct op_reason *error);
void export_cursor_close(struct export_cursor *cursor);

/* Return the time in the cursor, in seconds since 1970; INT64_MIN: the file is missing, damaged, or
 * of another database or host. @target: URL and database. @host: name of the host. */
int64_t export_cursor_read(const struct export_cursor *cursor, const char *target,
			   const char *host);
/* If a cursor file is in use, replace it by a file with the time @until. Return 0 or a negative
 * errno. */
int export_cursor_write(const struct export_cursor *cursor, const char *target, const char *host,
			int64_t until);

#endif
