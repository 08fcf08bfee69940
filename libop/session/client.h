/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h -- the client side of the daemon's control socket.
 *
 * A request is one line. The answer is lines "key: value", then "ok" or "error TEXT".
 */
#ifndef OP_SESSION_CLIENT_H
#define OP_SESSION_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct op_client {
	int fd;
	/* process id of the daemon that opened the socket, according to the kernel; this daemon may
	 * have ended in the meantime */
	pid_t pid;
	uid_t uid;
	int timeout_s;
	const char *session_dir;	/* session directory; the caller owns the string */
	/* stream to print a notice to if an answer takes long; NULL: print no notice */
	FILE *notices;
};

struct op_reply {
	struct op_reply_line {
		char *key, *value;
	} *lines;
	size_t nr;
};

enum op_session_use {
	OP_SESSION_READ,	/* the caller reads files, and sends requests to the daemon */
	OP_SESSION_WRITE,	/* the caller also creates, moves and deletes files */
};

/*
 * Open the session directory @session_dir. Return a descriptor (O_PATH), -ENOENT if the directory
 * does not exist, or another negative errno with a message in @error. Root does not open a
 * directory that another user could change at the same time (libop/base/owner.h), with one
 * exception: root reads the directory of the service's user. Its contents are hostile if somebody
 * has taken over the service. So a reader must not follow links in it, and must check a daemon with
 * op_session_dir_owns().
 */
int op_session_dir_open(const char *session_dir, enum op_session_use use,
			struct op_reason *error);

/*
 * Return whether a process of the user @uid can be the daemon of the session directory @dir_fd,
 * which op_session_dir_open() opened. If root uses the service's directory, only a process of the
 * service's user is accepted: a link, or a process id in a file of this directory, must not lead
 * root to another daemon.
 */
bool op_session_dir_owns(int dir_fd, uid_t uid);

/*
 * Connect to the daemon of a session directory for one request. @timeout_s: maximum time in seconds
 * to wait for an answer. Return 0; -ENOENT or -ECONNREFUSED, with an empty @error, if no daemon is
 * listening there; or another negative errno with a message in @error.
 */
int op_client_connect(struct op_client *ret, const char *session_dir, int timeout_s,
		       struct op_reason *error);
void op_client_close(struct op_client *client);

/*
 * Send @request, and read the whole answer into @reply, which must be zeroed, or NULL. Return 0;
 * -EREMOTEIO, with TEXT as the message, if the answer is "error TEXT"; -ETIMEDOUT if the daemon
 * does not answer; or another negative errno with a message in @error.
 */
int op_client_request(struct op_client *client, const char *request, struct op_reply *reply,
		       struct op_reason *error);

/* Return the value in the answer's line "@key: value", or NULL. */
const char *op_reply_get(const struct op_reply *reply, const char *key);
void op_reply_release(struct op_reply *reply);

#endif
