/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h -- the daemon's socket, DIR/control, by which opcontrol speaks to it.
 *
 * A client sends a line: "start", "stop", "dump", "reset", "save NAME", "status", "shutdown" or
 * "ping". The answer is any number of lines "key: value", then "ok" or "error TEXT". A connection
 * may carry several requests, one after the other.
 *
 * Everybody may connect; what a peer may ask is the handler's decision, by who the peer is. Nothing a client does or
 * leaves undone blocks the daemon: all is non-blocking, buffers have limits, a silent client is
 * dropped after OPD_CONTROL_TIMEOUT seconds, and when there are too many, strangers go first. All who
 * are not the owner share a budget of OPD_CONTROL_RATE connections and requests a second; what goes
 * beyond it waits.
 */
#ifndef OPD_CONTROL_H
#define OPD_CONTROL_H

#include <poll.h>
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

/* Adds a line "key: value"; what does not fit is left out. Control characters become '?'. */
__attribute__((format(printf, 3, 4)))
void opd_reply_add(struct opd_reply *reply, const char *key, const char *fmt, ...);

enum opd_peer {
	OPD_PEER_STRANGER,
	OPD_PEER_MEMBER,	/* of the session's group */
	OPD_PEER_OWNER,		/* root, or the daemon's own user */
};

/*
 * Answers one request, without its newline. Returns NULL for "ok" or the text of the error (good
 * until the next call).
 */
typedef const char *(*opd_control_fn)(void *arg, char *request, enum opd_peer peer,
				      struct opd_reply *reply);

struct opd_control;

/*
 * Makes the socket @name in @dirfd, replacing what a dead daemon left. @group: of the members, or
 * (gid_t)-1. Changes the process's umask for a moment. 0 or negative errno.
 */
int opd_control_create(struct opd_control **ret, int dirfd, const char *name, gid_t group,
		       opd_control_fn fn, void *arg);
/* Sends what is left to send, for a second at most, and removes the socket. Takes NULL. */
void opd_control_destroy(struct opd_control *c);

/* Fills @fds (OPD_CONTROL_FDS of them at most), returns how many. */
size_t opd_control_fds(struct opd_control *c, struct pollfd *fds);
/* Milliseconds until a client is to be dropped, -1: there is none. */
int opd_control_timeout(const struct opd_control *c);
/* Does what can be done now; @fds as filled, after poll(). */
void opd_control_process(struct opd_control *c, const struct pollfd *fds, size_t nr);

#endif
