// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client.c -- the client side of the daemon's control socket.
 */
#include "config.h"
#include "libop/session/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/owner.h"
#include "libop/session/paths.h"

#define NOTICE_AFTER_MS 2000

/* Return whether the directory @fd belongs to the service's user account, and no other user may
 * write to the directory. */
static bool is_of_service(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !(st.st_mode & 022) && op_owner_is_service(st.st_uid);
}

int op_session_dir_open(const char *session_dir, enum op_session_use use, struct op_reason *error)
{
	int fd = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct op_reason cause = { "" };
	int err = 0;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0)
		return op_fail(error, -errno, "cannot open the session directory %s: %s", session_dir,
			       strerror(errno));
	/*
	 * Only root needs a check of the directory's owner: other users risk only their own files,
	 * and may use another user's daemon. Root may read the service's session, but must not
	 * write to it: links could lead root to other files, and the service could not delete
	 * root's files.
	 */
	if (geteuid() == 0 && !is_of_service(fd))
		err = op_owner_check(fd, session_dir, &cause);
	else if (geteuid() == 0 && use == OP_SESSION_WRITE)
		err = op_fail(&cause, -EPERM, "%s belongs to the service: name another "
			      "--session-dir", session_dir);
	if (!err)
		return fd;
	close(fd);
	return op_fail(error, err, "cannot use the session directory as root: %s", cause.text);
}

bool op_session_dir_owns(int dir_fd, uid_t uid)
{
	struct stat st;

	if (geteuid() || !is_of_service(dir_fd))
		return true;
	return !fstat(dir_fd, &st) && st.st_uid == uid;
}

/* Connect through the socket's descriptor, because the socket's name may be longer than a socket
 * address allows. -ELOOP: the name is a symbolic link, which could lead to another daemon. */
static int connect_below(int sock, int dir_fd)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = openat(dir_fd, "control", O_PATH | O_NOFOLLOW | O_CLOEXEC), err = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) < 0)
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = -ELOOP;
	else if (connect(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int op_client_connect(struct op_client *ret, const char *session_dir, int timeout_s,
		       struct op_reason *error)
{
	struct timeval timeout = { .tv_sec = timeout_s };
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int dir_fd, sock, err;

	dir_fd = op_session_dir_open(session_dir, OP_SESSION_READ, error);
	if (dir_fd < 0)
		return dir_fd;
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sock < 0) {
		err = -errno;
		goto close_dir;
	}
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	err = connect_below(sock, dir_fd);
	if (!err && getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		err = -errno;
	if (!err && !op_session_dir_owns(dir_fd, peer.uid))
		err = -EPERM;
	if (err)
		goto close_sock;
	close(dir_fd);
	*ret = (struct op_client){ .fd = sock, .pid = peer.pid, .uid = peer.uid,
				   .timeout_s = timeout_s, .session_dir = session_dir };
	return 0;

close_sock:
	close(sock);
close_dir:
	close(dir_fd);
	if (err == -ENOENT || err == -ECONNREFUSED)
		return err;
	return op_fail(error, err, "cannot reach the daemon of %s: %s", session_dir,
		       err == -ELOOP ? "its socket, control, is a symbolic link: remove it" :
		       err == -EPERM ? "the daemon does not belong to the service, which owns the "
				       "directory: remove control" : strerror(-err));
}

void op_client_close(struct op_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

static int send_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = send(fd, text, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Replace control characters in the daemon's answer, because the answer is printed on a
 * terminal. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
	}
}

static int add_line(struct op_reply *reply, const char *line)
{
	const char *colon = strstr(line, ": ");
	struct op_reply_line new;

	if (!reply || !colon)
		return 0;
	if (op_grow(&reply->lines, reply->nr))
		return -ENOMEM;
	new.key = strndup(line, (size_t)(colon - line));
	new.value = strdup(colon + 2);
	if (!new.key || !new.value) {
		free(new.key);
		free(new.value);
		return -ENOMEM;
	}
	reply->lines[reply->nr++] = new;
	return 0;
}

static int read_answer(FILE *f, struct op_reply *reply, struct op_reason *error)
{
	char *line = NULL;
	size_t size = 0;
	int err = -ECONNRESET;

	errno = 0;
	while (getline(&line, &size, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		make_printable(line);
		if (!strcmp(line, "ok")) {
			err = 0;
			break;
		}
		if (!strncmp(line, "error ", 6)) {
			err = op_fail(error, -EREMOTEIO, "%s", line + 6);
			break;
		}
		err = add_line(reply, line);
		if (err)
			break;
		err = -ECONNRESET;
		errno = 0;
	}
	if (err == -ECONNRESET && (errno == EAGAIN || errno == EWOULDBLOCK))
		err = -ETIMEDOUT;
	free(line);
	return err;
}

/* Wait for the daemon's answer, and print a notice if the answer takes long. The socket's timeout
 * limits the total time. */
static void report_waiting(const struct op_client *client, const char *request)
{
	struct pollfd p = { .fd = client->fd, .events = POLLIN };

	if (!client->notices || poll(&p, 1, NOTICE_AFTER_MS) != 0)
		return;
	fprintf(client->notices, "Waiting for the daemon (pid %d) to answer --%.*s, for %d s at most: it "
		"writes to the disk, or is stopped.\n", (int)client->pid, (int)strcspn(request, " "), request,
		client->timeout_s);
	fflush(client->notices);
}

int op_client_request(struct op_client *client, const char *request, struct op_reply *reply,
		       struct op_reason *error)
{
	char option[OP_SESSION_OPTION_SIZE];
	char *line = NULL;
	FILE *f = NULL;
	int fd, err;

	if (asprintf(&line, "%s\n", request) < 0)
		return -ENOMEM;
	err = send_all(client->fd, line, strlen(line));
	free(line);
	if (err == -EPIPE || err == -ECONNRESET)
		/* the write failed, but the daemon may have answered with an error: read the
		 * answer */
		err = 0;
	if (!err) {
		fd = fcntl(client->fd, F_DUPFD_CLOEXEC, 3);
		f = fd < 0 ? NULL : fdopen(fd, "r");
		if (!f) {
			err = -errno;
			if (fd >= 0)
				close(fd);
		}
	}
	if (!err) {
		report_waiting(client, request);
		err = read_answer(f, reply, error);
	}
	if (f)
		fclose(f);
	if (!err || err == -EREMOTEIO)
		return err;
	if (err == -ETIMEDOUT || err == -EAGAIN)
		return op_fail(error, -ETIMEDOUT, "the daemon (pid %d) has not answered for %d s; "
						  "if it is stopped, run kill -CONT %d; otherwise "
						  "the disk is slow: repeat opcontrol%s --status "
						  "until the daemon answers", (int)client->pid, client->timeout_s,
			       (int)client->pid, op_session_option(option, client->session_dir));
	return op_fail(error, err, "the daemon (pid %d) closed the connection: %s",
		       (int)client->pid, strerror(-err));
}

const char *op_reply_get(const struct op_reply *reply, const char *key)
{
	for (size_t i = 0; i < reply->nr; i++) {
		if (!strcmp(reply->lines[i].key, key))
			return reply->lines[i].value;
	}
	return NULL;
}

void op_reply_release(struct op_reply *reply)
{
	while (reply->nr) {
		reply->nr--;
		free(reply->lines[reply->nr].key);
		free(reply->lines[reply->nr].value);
	}
	free(reply->lines);
	reply->lines = NULL;
}
