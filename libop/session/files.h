/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- rules for the names of sessions, shared by daemon and opcontrol.
 */
#ifndef OP_SESSION_FILES_H
#define OP_SESSION_FILES_H

#include <stdbool.h>

/* The rule for names of sessions, as the end of a message. */
#define OP_SESSION_NAME_RULE \
	"no '/', blanks, quotes or wildcards, no '.' or '-' in front, neither 'current' nor " \
	"'oprofiled.log'"

/* Prefix of a session's name while it is deleted. A daemon that starts deletes leftover sessions
 * of this name. */
#define OP_DELETED_PREFIX	".deleted-"

/* Return whether a user may give this name to a saved session. */
bool op_session_name_ok(const char *name);

/* Return 1 if the samples directory @fd (DIR/samples/NAME) holds sample files, 0 if not, or a
 * negative errno. */
int op_session_has_samples(int fd);

#endif
