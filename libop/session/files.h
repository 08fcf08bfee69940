/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- what the daemon and opcontrol must agree on when they save a session.
 */
#ifndef OP_SESSION_FILES_H
#define OP_SESSION_FILES_H

#include <stdbool.h>

/* Why a name is not one, to stand behind it in a message. */
#define OP_SESSION_NAME_RULE \
	"no '/', blanks, quotes or wildcards, no '.' or '-' in front, neither 'current' nor " \
	"'oprofiled.log'"

/* What a session is called while it is deleted; a daemon that starts finishes what was begun. */
#define OP_DELETED_PREFIX	".deleted-"

/* A name that a user may give a saved session. */
bool op_session_name_ok(const char *name);

/* Whether a samples directory (DIR/samples/NAME) holds sample files: 1, 0, or negative errno. */
int op_session_has_samples(int fd);

#endif
