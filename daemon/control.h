/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h -- the daemon's control socket, SESSION_DIR/control, for opcontrol.
 *
 * A client sends a request, which is a line: "start", "stop", "dump", "reset", "save NAME",
 * "status", "shutdown" or "ping". The answer is any number of lines "key: value", then "ok" or
 * "error TEXT". A connection may carry several requests, one after the other.
 *
 * Every user may connect; the request handler decides which requests a peer may send. No client can
 * block the daemon: all I/O is non-blocking, buffers have limits, and an inactive client is
 * disconnected after OPD_CONTROL_TIMEOUT seconds. When there are too many clients, users without
 * privileges are disconnected first. All peers except the owner share a budget of OPD_CONTROL_RATE
 * connections and requests a second; further requests wait.
 */
#ifndef OPD_CONTROL_H
#define OPD_CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OPD_CONTROL_CLIENTS	16
#define OPD_CONTROL_LINE	512
#define OPD_CONTROL_REPLY	32768
#define OPD_CONTROL_TIMEOUT	10
#define OPD_CONTROL_RATE	100
#define OPD_CONTROL_FDS		(OPD_CONTROL_CLIENTS + 1)

struct opd_reply {
	char text[OPD_CONTROL_REPLY];
	size_t len;
};

/* Add a line "key: value" to the reply, with op_clean() for its text. Return false if the line does
 * not fit. */
__attribute__((format(printf, 3, 4)))
bool opd_reply_add(struct opd_reply *reply, const char *key, const char *fmt, ...);

enum opd_peer {
	OPD_PEER_STRANGER,
	/* privileges of a client: the user belongs to the group opd_config.group */
	OPD_PEER_MEMBER,
	/* privileges of a client: root, or the user that the daemon runs as */
	OPD_PEER_OWNER,
};

/* Handles one request; @request does not include the newline. Returns NULL for the answer "ok", or
 * the text of the error, which is valid until the next call. */
typedef const char *(*opd_control_fn)(void *arg, char *request, enum opd_peer peer,
				      struct opd_reply *reply);

struct opd_control;

/*
 * Make the socket @name in the directory @dirfd; replace a socket that an earlier daemon left.
 * @group: the group whose users are OPD_PEER_MEMBER, or (gid_t)-1. Changes the process's umask
 * temporarily. Return 0 or a negative errno.
 */
int opd_control_create(struct opd_control **ret, int dirfd, const char *name, gid_t group,
		       opd_control_fn fn, void *arg);
/* Send pending answers to the owner, for a second at most each, and remove the socket. @c may be
 * NULL. */
void opd_control_destroy(struct opd_control *c);

/* Fill in @fds, at most OPD_CONTROL_FDS elements, for poll(). Return their number. */
size_t opd_control_fds(struct opd_control *c, struct pollfd *fds);
/* Return the time until opd_control_process() must be called, in ms; -1: no limit. */
int opd_control_timeout(const struct opd_control *c);
/* Handle the events that poll() has returned in @fds, which opd_control_fds() has filled in. */
void opd_control_process(struct opd_control *c, const struct pollfd *fds, size_t nr);

#endif
