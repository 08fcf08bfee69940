// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_control.c -- tests the control socket with correct and with hostile clients. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/control.h"

struct fixture {
	void *dir;
	int dirfd;
	struct opd_control *control;
	int nr_requests;
	char last[600];
	enum opd_peer peer;
};

static const char *handle(void *arg, char *request, enum opd_peer peer, struct opd_reply *reply)
{
	struct fixture *f = arg;

	f->nr_requests++;
	f->peer = peer;
	snprintf(f->last, sizeof(f->last), "%s", request);
	if (!strcmp(request, "bad"))
		return "it is bad\nok";
	if (!strcmp(request, "big"))
		for (int i = 0; i < 1000; i++)
			opd_reply_add(reply, "key", "%0100d", i);
	opd_reply_add(reply, "state", "run\nok");
	return NULL;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	check_make_dir(&f->dir);
	f->dirfd = check_open_dir(&f->dir);
	assert_int_equal(opd_control_create(&f->control, f->dirfd, "control", (gid_t)-1, handle, f), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_control_destroy(f->control);
	assert_int_not_equal(faccessat(f->dirfd, "control", F_OK, 0), 0);
	close(f->dirfd);
	check_remove_dir(&f->dir);
	free(f);
	return 0;
}

static int connect_client(struct fixture *f)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/control", (char *)f->dir);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* With RLIMIT_NOFILE 0, poll() fails. So set POLLIN directly, as poll() would do if a client were
 * waiting. */
static void serve_once(struct fixture *f)
{
	struct pollfd fds[OPD_CONTROL_FDS];
	size_t nr = opd_control_fds(f->control, fds);

	fds[0].revents = POLLIN;
	opd_control_process(f->control, fds, nr);
}

/* Let the server handle all pending events. The call must never block, because no other process
 * would wake it up. */
static void serve(struct fixture *f)
{
	struct pollfd fds[OPD_CONTROL_FDS];

	for (;;) {
		size_t nr = opd_control_fds(f->control, fds);

		assert_true(nr <= OPD_CONTROL_FDS);
		if (poll(fds, nr, 0) <= 0)
			break;
		opd_control_process(f->control, fds, nr);
	}
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static const char *receive(int fd)
{
	static char text[OPD_CONTROL_REPLY + 1];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN ? "(nothing)" : "(gone)";
	text[n] = '\0';
	return n ? text : "(closed)";
}

static void test_requests_arrive_in_pieces(void **state)
{
	struct fixture *f = *state;
	int fd = connect_client(f);

	serve(f);
	send_text(fd, "sta");
	serve(f);
	assert_string_equal(receive(fd), "(nothing)");
	send_text(fd, "tus\n");
	serve(f);
	/* Newlines in a reply's text are escaped, so that the text cannot look like the end of the
	 * reply. */
	assert_string_equal(receive(fd), "state: run\\x0aok\nok\n");
	assert_string_equal(f->last, "status");
	assert_int_equal(f->peer, OPD_PEER_OWNER);
	send_text(fd, "bad\n");
	serve(f);
	assert_string_equal(receive(fd), "error it is bad\\x0aok\n");
	/* Several requests in one packet are answered, and also requests in the format of old
	 * tools. */
	send_text(fd, "one\r\ntwo\nthr");
	serve(f);
	assert_string_equal(receive(fd), "state: run\\x0aok\nok\nstate: run\\x0aok\nok\n");
	assert_string_equal(f->last, "two");
	close(fd);
	serve(f);
	assert_int_equal(f->nr_requests, 4);
}

static void test_half_closed_connection_is_answered(void **state)
{
	struct fixture *f = *state;
	int fd = connect_client(f);

	send_text(fd, "dump\n");
	shutdown(fd, SHUT_WR);
	serve(f);
	assert_string_equal(receive(fd), "state: run\\x0aok\nok\n");
	assert_string_equal(receive(fd), "(closed)");
	close(fd);
}

static void test_too_long_request_is_refused(void **state)
{
	struct fixture *f = *state;
	int fd = connect_client(f);
	char text[OPD_CONTROL_LINE + 1];

	memset(text, 'x', sizeof(text));
	send(fd, text, sizeof(text), MSG_NOSIGNAL);
	serve(f);
	assert_int_equal(f->nr_requests, 0);
	assert_string_not_equal(receive(fd), "(nothing)");
	close(fd);
}

/*
 * The server disconnects a client that sends requests again and again but never reads the replies.
 */
static void test_client_without_reads_is_disconnected(void **state)
{
	struct fixture *f = *state;
	int slow = connect_client(f), good, answered;

	for (int i = 0; i < 20000; i++) {
		if (send(slow, "big\n", 4, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		if (i % 100 == 0)
			serve(f);
	}
	serve(f);
	answered = f->nr_requests;
	serve(f);
	assert_int_equal(f->nr_requests, answered);
	good = connect_client(f);
	send_text(good, "ping\n");
	serve(f);
	assert_string_equal(receive(good), "state: run\\x0aok\nok\n");
	/* If the client reads later, it gets complete replies. */
	size_t total = 0;

	for (int i = 0; i < 100000; i++) {
		char text[4096];
		ssize_t n = recv(slow, text, sizeof(text), MSG_DONTWAIT);

		if (n <= 0)
			break;
		total += n;
		serve(f);
	}
	assert_true(total > 20000);
	close(good);
	close(slow);
	serve(f);
}

static void test_big_answers_are_complete(void **state)
{
	struct fixture *f = *state;
	int fd = connect_client(f);
	const char *text;

	send_text(fd, "big\n");
	serve(f);
	text = receive(fd);
	assert_true(strlen(text) > 1000);
	assert_string_equal(text + strlen(text) - 3, "ok\n");
	close(fd);
}

/* If more clients connect than the server has slots, the newest client still gets a slot, and no
 * client is blocked. */
static void test_newest_client_gets_a_slot(void **state)
{
	struct fixture *f = *state;
	int fds[OPD_CONTROL_CLIENTS * 2];

	for (int i = 0; i < OPD_CONTROL_CLIENTS * 2; i++) {
		fds[i] = connect_client(f);
		serve(f);
	}
	send_text(fds[OPD_CONTROL_CLIENTS * 2 - 1], "ping\n");
	serve(f);
	assert_string_equal(receive(fds[OPD_CONTROL_CLIENTS * 2 - 1]), "state: run\\x0aok\nok\n");
	assert_true(opd_control_timeout(f->control) >= 0);
	for (int i = 0; i < OPD_CONTROL_CLIENTS * 2; i++)
		close(fds[i]);
	serve(f);
	assert_int_equal(opd_control_timeout(f->control), -1);
}

static void test_disconnected_client_is_removed(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 100; i++) {
		int fd = connect_client(f);

		send_text(fd, "big\nbig\nbig\n");
		close(fd);
		serve(f);
	}
	assert_int_equal(opd_control_timeout(f->control), -1);
}

/* The socket of a dead daemon is replaced, even if the directory has a long path. */
static void test_stale_socket_and_long_path(void **state)
{
	struct fixture *f = *state;
	struct opd_control *c;
	char name[201];
	int dir = f->dirfd, next;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(mkdirat(dir, name, 0755), 0);
	next = openat(dir, name, O_RDONLY | O_DIRECTORY);
	assert_int_equal(symlinkat("elsewhere", next, "control"), 0);
	assert_int_equal(opd_control_create(&c, next, "control", (gid_t)-1, handle, f), 0);
	opd_control_destroy(c);
	close(next);
}

/* Without a free descriptor, the server cannot accept a client, but poll() keeps reporting it. So
 * the server must ignore the socket for a while, to avoid a busy loop. */
static void test_no_descriptor_left(void **state)
{
	struct fixture *f = *state;
	int fd = connect_client(f), timeout;
	struct rlimit all, none;

	send_text(fd, "status\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = (struct rlimit){ 0, all.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	serve_once(f);
	timeout = opd_control_timeout(f->control);
	setrlimit(RLIMIT_NOFILE, &all);
	assert_true(timeout >= 0 && timeout <= 100);
	while (!f->nr_requests) {
		usleep(1000);
		opd_control_process(f->control, NULL, 0);
		serve(f);
	}
	close(fd);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_requests_arrive_in_pieces),
		T(test_half_closed_connection_is_answered),
		T(test_too_long_request_is_refused),
		T(test_client_without_reads_is_disconnected),
		T(test_big_answers_are_complete),
		T(test_newest_client_gets_a_slot),
		T(test_disconnected_client_is_removed),
		T(test_stale_socket_and_long_path),
		T(test_no_descriptor_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
