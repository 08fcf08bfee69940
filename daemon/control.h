/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h -- the daemon's control socket, SESSION_DIR/control, for opcontrol.
 *
 * A client sends a request of one line: "start", "stop", "dump", "reset", "save NAME", "status",
 * "shutdown" or "ping". The answer is any number of lines "key: value", and then "ok" or "error
 * TEXT". A client may send several requests over a connection, one after the other.
 *
 * All users may connect; the request handler decides which requests a client may send. No client
 * can block the daemon: all I/O is non-blocking, buffers are limited, and a client that is
 * inactive for OPD_CONTROL_TIMEOUT seconds is disconnected. If there are too many clients, those
 * without privileges are disconnected first. All users except the owner share a budget of
 * OPD_CONTROL_RATE connections and requests per second; further requests wait.
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

/* Add a line "key: value" to the reply; op_clean() escapes its text. Return false if the line does
 * not fit. */
__attribute__((format(printf, 3, 4)))
bool opd_reply_add(struct opd_reply *reply, const char *key, const char *fmt, ...);

enum opd_peer {
	OPD_PEER_STRANGER,
	/* a user in the group opd_config.group */
	OPD_PEER_MEMBER,
	/* root, or the user of the daemon */
	OPD_PEER_OWNER,
};

/* Callback that handles one request, @request, without its newline. It returns NULL for the answer
 * "ok", or the error text, which is valid until the next call. */
typedef const char *(*opd_control_fn)(void *arg, char *request, enum opd_peer peer,
				      struct opd_reply *reply);

struct opd_control;

/*
 * Create the socket @name in the directory @dirfd, and replace a socket of an earlier daemon.
 * @group: its members are OPD_PEER_MEMBER; (gid_t)-1: no group. The function temporarily changes
 * the umask of the process. Return 0 or a negative errno.
 */
int opd_control_create(struct opd_control **ret, int dirfd, const char *name, gid_t group,
		       opd_control_fn fn, void *arg);
/* Send pending answers to clients of the owner, for at most a second each, and remove the socket.
 * @c may be NULL. */
void opd_control_destroy(struct opd_control *c);

/* Fill @fds with the descriptors to poll, at most OPD_CONTROL_FDS elements. Return their number. */
size_t opd_control_fds(struct opd_control *c, struct pollfd *fds);
/* Return the maximum time in ms until the next call of opd_control_process(); -1: no limit. */
int opd_control_timeout(const struct opd_control *c);
/* Handle the events that poll() has returned in the @fds of opd_control_fds(). */
void opd_control_process(struct opd_control *c, const struct pollfd *fds, size_t nr);

#endif
