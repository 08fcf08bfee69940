// SPDX-License-Identifier: GPL-2.0-or-later
/* opener.c -- client of opperfopen, the program that opens perf_events for the service. */
#include "config.h"
#include "libop/perf/opener.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define WAIT_S	10

/* Return true if the process that listens at the other end of @fd can be trusted: it runs as
 * root, like systemd, or as the user of this process. */
static bool is_trusted(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

/* Return a socket that is connected to @path, or -1. */
static int connect_to(const char *path)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) &&
	    !connect(fd, (struct sockaddr *)&address, sizeof(address)) && is_trusted(fd))
		return fd;
	close(fd);
	return -1;
}

/* Receive the answer of opperfopen. Return the descriptor in the answer, or a negative errno. */
static int receive(int socket)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	int32_t answer = 0;
	struct iovec data = { &answer, sizeof(answer) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	const struct cmsghdr *c;
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (n < 0)
		return -EACCES;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	if (n == sizeof(answer) && !answer && fd >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return n == sizeof(answer) && answer < 0 && answer > -4096 ? answer : -EACCES;
}

int op_perf_opener_open(const char *path, const struct perf_event_attr *attr, int cpu)
{
	struct op_perf_request request = { .magic = OP_PERF_REQUEST_MAGIC, .cpu = cpu };
	int fd, result = -EACCES;

	if (attr->size > sizeof(request.attr))
		return -E2BIG;
	memcpy(&request.attr, attr, attr->size);
	fd = connect_to(path);
	if (fd < 0)
		return -EACCES;
	if (send(fd, &request, OP_PERF_REQUEST_HEAD + attr->size, MSG_NOSIGNAL) > 0)
		result = receive(fd);
	close(fd);
	return result;
}
