// SPDX-License-Identifier: GPL-2.0-or-later
/* finder_message.c -- messages of the finder: bytes and descriptors over a socket. */
#include "config.h"
#include "daemon/image/finder_message.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(OPD_FINDER_FDS * sizeof(int))];
	struct cmsghdr align;
};

int opd_finder_send(int socket, const void *data, size_t len, const int *fds, size_t nr)
{
	union control control = { { 0 } };
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nr) {
		struct cmsghdr *c = &control.align;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	}
	return sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

ssize_t opd_finder_receive(int socket, void *data, size_t size, int fds[OPD_FINDER_FDS], size_t *nr)
{
	union control control;
	struct iovec iov = { data, size };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		/* CMSG_SPACE() would add padding that can hold one more descriptor: use
		 * CMSG_LEN(). */
		.msg_controllen = CMSG_LEN(OPD_FINDER_FDS * sizeof(int)),
	};
	ssize_t len;

	do
		len = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	*nr = 0;
	if (len < 0)
		return -errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		*nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *nr * sizeof(int));
	}
	return len;
}

/* Check the answer @a: return true if each number that the daemon uses is in its valid range.
 * @most: maximum number of copied bytes. */
static bool is_answer(const struct opd_finder_answer *a, size_t most)
{
	return a->result <= 0 && a->identity.build_id_len <= sizeof(a->identity.build_id) &&
	       a->copied.len <= most && a->copied.err <= 0;
}

int opd_finder_receive_answer(int socket, struct opd_finder_answer *ret, size_t most)
{
	int fds[OPD_FINDER_FDS], err = 0;
	struct opd_finder_answer a;
	size_t nr;

	if (opd_finder_receive(socket, &a, sizeof(a), fds, &nr) != sizeof(a))
		err = -EPIPE;
	else if (!is_answer(&a, most))
		err = -EBADMSG;
	for (size_t i = !err && !a.result; i < nr; i++)
		close(fds[i]);
	if (err)
		return err;
	*ret = a;
	ret->identity.fd = nr && !a.result ? fds[0] : -1;
	return 0;
}
