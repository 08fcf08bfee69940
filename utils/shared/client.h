/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h -- the client side of the daemon's control socket.
 *
 * A request is one line. The answer is lines "key: value", then "ok" or "error TEXT".
 */
#ifndef UTILS_SHARED_CLIENT_H
#define UTILS_SHARED_CLIENT_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct ctl_client {
	int fd;
	/* process id of the daemon when it opened its socket, as the kernel reports it; the daemon
	 * may have ended since */
	pid_t pid;
	uid_t uid;
	int timeout_s;
	const char *session_dir;	/* session directory; the caller owns the string */
	FILE *notices;	/* receives a notice while an answer takes long; or NULL */
};

struct ctl_reply {
	struct ctl_reply_line {
		char *key, *value;
	} *lines;
	size_t nr;
};

/*
 * Connect to the daemon of a session directory, for one request, and wait at most @timeout_s
 * seconds for each answer. Return 0, -ENOENT or -ECONNREFUSED with an empty @error if no daemon
 * listens there, or another negative errno with a message in @error.
 */
int ctl_client_connect(struct ctl_client *ret, const char *session_dir, int timeout_s,
		       struct op_reason *error);
void ctl_client_close(struct ctl_client *client);

/*
 * Send @request, wait for the whole answer, and store it in @reply (zeroed, or NULL). Return 0,
 * -EREMOTEIO with the TEXT of an "error TEXT" answer, -ETIMEDOUT if the daemon does not answer, or
 * another negative errno with a message in @error.
 */
int ctl_client_request(struct ctl_client *client, const char *request, struct ctl_reply *reply,
		       struct op_reason *error);

/* Return the value of the line @key, or NULL. */
const char *ctl_reply_get(const struct ctl_reply *reply, const char *key);
void ctl_reply_release(struct ctl_reply *reply);

#endif
