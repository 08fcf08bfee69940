/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h -- the daemon's control socket, from this side.
 *
 * One request line; the answer is lines "key: value" and then "ok" or "error TEXT".
 */
#ifndef UTILS_SHARED_CLIENT_H
#define UTILS_SHARED_CLIENT_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/reason.h"

struct ctl_client {
	int fd;
	pid_t pid;	/* of the daemon, as the kernel tells it; it may be gone since */
	uid_t uid;
	int timeout_s;
	const char *session_dir;	/* the caller's */
	FILE *notices;	/* NULL: nothing is said while an answer takes its time */
};

struct ctl_reply {
	struct ctl_reply_line {
		char *key, *value;
	} *lines;
	size_t nr;
};

/*
 * To the daemon of a session directory, to wait at most @timeout_s seconds for anything from it.
 * One request per connection. -ENOENT or -ECONNREFUSED (no text): no daemon listens
 * there. Otherwise negative errno with text.
 */
int ctl_client_connect(struct ctl_client *ret, const char *session_dir, int timeout_s,
		       struct op_reason *error);
void ctl_client_close(struct ctl_client *client);

/*
 * Sends @request and waits for the whole answer, which @reply (zeroed, or NULL) receives. An
 * "error TEXT" answer is -EREMOTEIO, its TEXT the error's; a daemon that does not answer
 * -ETIMEDOUT.
 */
int ctl_client_request(struct ctl_client *client, const char *request, struct ctl_reply *reply,
		       struct op_reason *error);

/* NULL: no such line. */
const char *ctl_reply_get(const struct ctl_reply *reply, const char *key);
void ctl_reply_release(struct ctl_reply *reply);

#endif
