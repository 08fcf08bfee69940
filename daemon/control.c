// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c -- the daemon's control socket: reads requests and sends answers without blocking.
 */
#include "config.h"
#include "daemon/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/owner.h"

struct client {
	/* descriptor of the connection; -1: this struct is unused */
	int fd;
	enum opd_peer peer;
	bool closing;		/* disconnect the client after the answer is sent */
	uint64_t last_ms;	/* time of the last transfer of data from or to the client */
	char in[OPD_CONTROL_LINE];
	size_t nr_in;
	struct opd_reply *out;	/* answer that is being sent, or NULL */
	size_t sent;
};

struct opd_control {
	int fd;
	int dirfd;		/* directory that contains the socket; borrowed */
	gid_t group;		/* members of this group are OPD_PEER_MEMBER */
	char *name;
	opd_control_fn fn;
	void *arg;
	/* number of connections and requests that the daemon still serves in this time slice for
	 * users other than the owner */
	unsigned int budget;
	uint64_t budget_ms;	/* time of the last refill of .budget */
	struct client clients[OPD_CONTROL_CLIENTS];
};

/* The budget of requests is refilled BUDGET_SLICES times per second. Waiting clients are served
 * only after a refill. */
#define BUDGET_SLICES	10
#define SLICE_MS	(1000 / BUDGET_SLICES)

#define TIMEOUT_MS	(OPD_CONTROL_TIMEOUT * 1000)

/* Refill the budget of connections and requests if a new time slice has begun. Return true if it
 * was refilled. */
static bool fill_budget(struct opd_control *c)
{
	uint64_t now = op_now_ms();

	if (now - c->budget_ms < SLICE_MS)
		return false;
	c->budget = OPD_CONTROL_RATE / BUDGET_SLICES;
	c->budget_ms = now;
	return true;
}

/* Return true if the client may be served now; otherwise it waits for the next time slice. */
static bool may_be_served(const struct opd_control *c, const struct client *k)
{
	return k->peer == OPD_PEER_OWNER || c->budget;
}

static void charge(struct opd_control *c, enum opd_peer peer)
{
	if (peer != OPD_PEER_OWNER && c->budget)
		c->budget--;
}

static bool add_text(struct opd_reply *reply, const char *text, size_t len)
{
	if (len > sizeof(reply->text) - reply->len)
		return false;
	memcpy(reply->text + reply->len, text, len);
	reply->len += len;
	return true;
}

bool opd_reply_add(struct opd_reply *reply, const char *key, const char *fmt, ...)
{
	char raw[8192], line[8192];
	va_list ap;
	int n = snprintf(raw, sizeof(raw), "%s: ", key);

	va_start(ap, fmt);
	vsnprintf(raw + n, sizeof(raw) - n, fmt, ap);
	va_end(ap);
	op_clean(line, sizeof(line) - 1, raw);
	strcat(line, "\n");
	/* Leave space in the buffer for the last line of the answer. */
	return reply->len + strlen(line) + 1024 <= sizeof(reply->text) &&
	       add_text(reply, line, strlen(line));
}

static void drop(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->out);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

/* Bind the socket with permission for all users to connect. The umask sets the permission, because
 * a chmod() after bind() could change another file that got the socket's name. */
static int bind_for_all(int fd, int dirfd, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask = umask(0111);
	int err = 0;

	/* The session directory's path may be too long for sun_path, so use /proc/self/fd. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", dirfd, name);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		err = -errno;
	umask(mask);
	return err;
}

int opd_control_create(struct opd_control **ret, int dirfd, const char *name, gid_t group,
		       opd_control_fn fn, void *arg)
{
	struct opd_control *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->fd = -1;
	c->dirfd = dirfd;
	c->group = group;
	fill_budget(c);
	c->fn = fn;
	c->arg = arg;
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++)
		c->clients[i].fd = -1;
	if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT) {
		err = -errno;
		goto err_destroy;
	}
	c->name = strdup(name);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (!c->name || c->fd < 0) {
		err = c->name ? -errno : -ENOMEM;
		goto err_destroy;
	}
	err = bind_for_all(c->fd, dirfd, name);
	if (!err && listen(c->fd, OPD_CONTROL_CLIENTS) < 0)
		err = -errno;
	if (err)
		goto err_destroy;
	*ret = c;
	return 0;

err_destroy:
	opd_control_destroy(c);
	return err;
}

/*
 * Return an unused struct client for a new client with privilege @peer. If all structs are in use,
 * disconnect the client with the lowest privilege; among several such clients, the client that was
 * inactive for the longest time. Return NULL if all clients have higher privileges than @peer.
 */
static struct client *place(struct opd_control *c, enum opd_peer peer)
{
	struct client *worst = NULL;

	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++) {
		struct client *k = &c->clients[i];

		if (k->fd < 0)
			return k;
		if (k->peer > peer)
			continue;
		if (!worst || k->peer < worst->peer ||
		    (k->peer == worst->peer && k->last_ms < worst->last_ms))
			worst = k;
	}
	return worst;
}

static enum opd_peer identify_peer(const struct opd_control *c, int fd)
{
	struct ucred cred;
	gid_t groups[1024];
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return OPD_PEER_STRANGER;
	if (op_owner_trusted(cred.uid))
		return OPD_PEER_OWNER;
	if (c->group == (gid_t)-1)
		return OPD_PEER_STRANGER;
	if (cred.gid == c->group)
		return OPD_PEER_MEMBER;
	len = sizeof(groups);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) < 0)
		return OPD_PEER_STRANGER;
	for (size_t i = 0; i < len / sizeof(*groups); i++)
		if (groups[i] == c->group)
			return OPD_PEER_MEMBER;
	return OPD_PEER_STRANGER;
}

static void accept_one(struct opd_control *c)
{
	enum opd_peer peer;
	struct client *k;
	int fd = accept4(c->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	/* The process has no free descriptor or memory: leave the connection in the socket's queue
	 * until the next time slice. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
		c->budget = 0;
	if (fd < 0)
		return;
	peer = identify_peer(c, fd);
	charge(c, peer);
	k = place(c, peer);
	if (!k) {
		close(fd);
		return;
	}
	drop(k);
	k->fd = fd;
	k->peer = peer;
	k->last_ms = op_now_ms();
}

static void send_some(struct client *k)
{
	while (k->out && k->sent < k->out->len) {
		ssize_t n = send(k->fd, k->out->text + k->sent, k->out->len - k->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				drop(k);
			return;
		}
		k->sent += n;
		k->last_ms = op_now_ms();
	}
	free(k->out);
	k->out = NULL;
	if (k->closing)
		drop(k);
}

static void answer(struct opd_control *c, struct client *k, char *request)
{
	const char *error;
	char raw[1000], line[1000];

	k->out = calloc(1, sizeof(*k->out));
	k->sent = 0;
	if (!k->out) {
		drop(k);
		return;
	}
	error = c->fn(c->arg, request, k->peer, k->out);
	if (error) {
		snprintf(raw, sizeof(raw), "error %s", error);
		op_clean(line, sizeof(line) - 1, raw);
		strcat(line, "\n");
		add_text(k->out, line, strlen(line));
	} else {
		add_text(k->out, "ok\n", 3);
	}
	k->last_ms = op_now_ms();
	send_some(k);
}

/* Answer the requests that the client has sent, one at a time: handle the next request after the
 * previous answer was sent. */
static void answer_lines(struct opd_control *c, struct client *k)
{
	while (k->fd >= 0 && !k->out && may_be_served(c, k)) {
		char request[OPD_CONTROL_LINE];
		char *end = memchr(k->in, '\n', k->nr_in);
		size_t len;

		if (!end) {
			if (k->nr_in == sizeof(k->in))
				drop(k);
			else if (k->closing)
				drop(k);
			return;
		}
		len = end - k->in;
		memcpy(request, k->in, len);
		request[len] = '\0';
		if (len && request[len - 1] == '\r')
			request[len - 1] = '\0';
		k->nr_in -= len + 1;
		memmove(k->in, end + 1, k->nr_in);
		charge(c, k->peer);
		answer(c, k, request);
	}
}

static void receive(struct opd_control *c, struct client *k)
{
	ssize_t n;

	if (k->nr_in < sizeof(k->in)) {
		n = recv(k->fd, k->in + k->nr_in, sizeof(k->in) - k->nr_in, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			drop(k);
			return;
		}
		if (n == 0)
			k->closing = true;
		else
			k->last_ms = op_now_ms();
		k->nr_in += n;
	}
	answer_lines(c, k);
}

size_t opd_control_fds(struct opd_control *c, struct pollfd *fds)
{
	size_t nr = 0;

	/* If the budget of connections is used up, do not accept connections: poll() ignores a
	 * negative descriptor. */
	fds[nr++] = (struct pollfd){ .fd = c->budget ? c->fd : -1, .events = POLLIN };
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++) {
		const struct client *k = &c->clients[i];

		if (k->fd >= 0 && may_be_served(c, k))
			fds[nr++] =
				(struct pollfd){.fd = k->fd, .events = k->out ? POLLOUT : POLLIN};
	}
	return nr;
}

int opd_control_timeout(const struct opd_control *c)
{
	uint64_t now = op_now_ms(), first = 0;

	if (!c->budget)
		return now - c->budget_ms < SLICE_MS ? SLICE_MS - (now - c->budget_ms) : 0;
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++)
		if (c->clients[i].fd >= 0 && (!first || c->clients[i].last_ms < first))
			first = c->clients[i].last_ms;
	if (!first)
		return -1;
	return now - first > TIMEOUT_MS ? 0 : TIMEOUT_MS + 1 - (now - first);
}

static struct client *client_of(struct opd_control *c, int fd)
{
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++)
		if (c->clients[i].fd == fd)
			return &c->clients[i];
	return NULL;
}

void opd_control_process(struct opd_control *c, const struct pollfd *fds, size_t nr)
{
	uint64_t now;

	if (fill_budget(c))
		for (int i = 0; i < OPD_CONTROL_CLIENTS; i++)
			/* the budget of requests was refilled: serve waiting clients */
			answer_lines(c, &c->clients[i]);
	for (size_t i = 1; i < nr; i++) {
		struct client *k = fds[i].revents ? client_of(c, fds[i].fd) : NULL;

		if (!k)
			continue;
		if (fds[i].revents & POLLOUT) {
			send_some(k);
			if (k->fd >= 0)
				answer_lines(c, k);
		} else if (k->out) {
			drop(k);	/* the client has hung up and does not read its answer */
		} else {
			receive(c, k);
		}
	}
	now = op_now_ms();
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++)
		if (c->clients[i].fd >= 0 && now - c->clients[i].last_ms > TIMEOUT_MS)
			drop(&c->clients[i]);
	/* Accept new clients last: a new client may get the struct and the descriptor of a client
	 * to which @fds still refers. */
	if (nr && fds[0].revents & POLLIN)
		accept_one(c);
}

void opd_control_destroy(struct opd_control *c)
{
	if (!c)
		return;
	for (int i = 0; i < OPD_CONTROL_CLIENTS; i++) {
		struct client *k = &c->clients[i];
		struct pollfd p = { .fd = k->fd, .events = POLLOUT };

		if (k->fd >= 0 && k->out && k->peer == OPD_PEER_OWNER && poll(&p, 1, 1000) > 0)
			send_some(k);
		if (k->fd >= 0)
			drop(k);
	}
	if (c->fd >= 0) {
		close(c->fd);
		unlinkat(c->dirfd, c->name, 0);
	}
	free(c->name);
	free(c);
}
