// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opperfopen.c -- opperfopen: opens perf_events of whole CPUs for the service's daemon, where the
 * kernel lets only CAP_SYS_ADMIN open them (kernel.perf_event_paranoid=3).
 *
 * systemd starts the program with a listening socket at the first connection, and starts it again
 * after it has ended. The program serves one connection after the other. It keeps no event open,
 * and no data between connections. Each connection is one request (libop/perf/opener.h). The client
 * must have the user id of the user that the command line names. The program is linked with libc
 * only.
 *
 * usage: opperfopen USER
 */
#include "config.h"
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/opener/allowed.h"
#include "libop/perf/opener.h"

#define LISTENER	3	/* the first descriptor that systemd passes */
#define IDLE_MS		30000	/* the program ends after this time without a connection */
#define WAIT_S		2	/* maximum time in s to wait for a client's request */

/* Return 0 if systemd passed exactly one listening socket of the expected type. */
static int check_listener(void)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");
	int type = 0, listens = 0;
	socklen_t len = sizeof(int);

	if (!pid || strtol(pid, NULL, 10) != getpid() || !nr || strcmp(nr, "1"))
		return -EBADF;
	if (getsockopt(LISTENER, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    getsockopt(LISTENER, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len))
		return -errno;
	return type == SOCK_SEQPACKET && listens ? 0 : -EPROTOTYPE;
}

/* Open the event of the request. Return a descriptor or a negative errno. */
static int open_event(const void *request, size_t size)
{
	struct perf_event_attr attr;
	const char *refused;
	int cpu, fd;

	refused = opn_check(&attr, &cpu, request, size, "/sys");
	if (refused) {
		fprintf(stderr, "<4>opperfopen: refused a request: %s\n", refused);
		return -EPERM;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Send @answer with the descriptor @fd, or without a descriptor if @fd is negative. */
static void send_answer(int client, int32_t answer, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec data = { &answer, sizeof(answer) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	memset(&control, 0, sizeof(control));
	if (fd >= 0) {
		control.header = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(fd)),
		};
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	/* Ignore errors: a client that has disconnected does not need the answer. */
	sendmsg(client, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void serve(int client, uid_t user)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	/* one byte longer than a valid request, to recognize a message that is too long */
	char request[sizeof(struct op_perf_request) + 1];
	struct ucred peer;
	socklen_t len = sizeof(peer);
	ssize_t n;
	int fd;

	/* Do not answer a client that belongs to another user. */
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &len) || peer.uid != user ||
	    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return;
	n = recv(client, request, sizeof(request), 0);
	if (n <= 0)
		return;
	fd = open_event(request, (size_t)n);
	send_answer(client, fd < 0 ? fd : 0, fd);
	if (fd >= 0)
		close(fd);
}

/* Serve connections until no client has connected for IDLE_MS. Return 0 or a negative errno.
 *
 * The first connection waits already: systemd starts the program because of it. Without one, a
 * restart of the service has started the program, and the new daemon may not need it. */
static int run(uid_t user)
{
	struct pollfd listener = { .fd = LISTENER, .events = POLLIN };
	int n, wait_ms = 0;

	while ((n = poll(&listener, 1, wait_ms)) > 0) {
		int client = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);

		wait_ms = IDLE_MS;
		/* Ignore the error if the client disconnected before accept4(). */
		if (client < 0 && errno != ECONNABORTED && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (client < 0)
			continue;
		serve(client, user);
		close(client);
	}
	return n < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	const struct passwd *user;
	int err;

	if (argc != 2) {
		fputs("usage: opperfopen USER\n", stderr);
		return EXIT_FAILURE;
	}
	user = getpwnam(argv[1]);
	if (!user) {
		fprintf(stderr, "<3>opperfopen: cannot find the user %s: run systemd-sysusers "
				"oprofile.conf\n",
			argv[1]);
		return EXIT_FAILURE;
	}
	err = check_listener();
	if (!err && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		err = -errno;
	if (err) {
		fprintf(stderr, "<3>opperfopen: cannot use the socket: %s. systemd starts this "
				"program: run systemctl start oprofile\n", strerror(-err));
		return EXIT_FAILURE;
	}
	err = run(user->pw_uid);
	if (!err)
		return EXIT_SUCCESS;
	fprintf(stderr, "<3>opperfopen: cannot wait for requests: %s\n", strerror(-err));
	return EXIT_FAILURE;
}
