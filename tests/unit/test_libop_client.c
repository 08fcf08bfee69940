// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_client.c -- tests that opcontrol understands any reply of the daemon on the control
 * socket, or reports an error.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "libop/session/client.h"

/*
 * Send a request to a simulated daemon that sends @answer and closes the connection. If @hang, the
 * daemon instead keeps the connection open and sends nothing more.
 */
static int send_request(const char *answer, bool hang, struct op_reply *reply,
			struct op_reason *error)
{
	struct timeval timeout = { .tv_usec = 10000 };
	struct op_client client = { .pid = 1234, .session_dir = "/some/where" };
	char request[64] = "";
	int fds[2], err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(write(fds[1], answer, strlen(answer)), (ssize_t)strlen(answer));
	if (!hang)
		shutdown(fds[1], SHUT_WR);
	client.fd = fds[0];
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);

	memset(reply, 0, sizeof(*reply));
	memset(error, 0, sizeof(*error));
	err = op_client_request(&client, "status", reply, error);
	assert_true(read(fds[1], request, sizeof(request) - 1) > 0);
	assert_string_equal(request, "status\n");
	op_client_close(&client);
	close(fds[1]);
	return err;
}

static void test_answer_is_parsed(void **state)
{
	struct op_reply reply;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(send_request("state: running\npid: 7\nwhy: a: b\nempty: \nok\n", false,
				      &reply, &error), 0);
	assert_string_equal(op_reply_get(&reply, "state"), "running");
	assert_string_equal(op_reply_get(&reply, "why"), "a: b");
	assert_string_equal(op_reply_get(&reply, "empty"), "");
	assert_null(op_reply_get(&reply, "none"));
	op_reply_release(&reply);
	assert_int_equal(send_request("ok\n", false, &reply, &error), 0);
	assert_int_equal(reply.nr, 0);
	/* Invalid lines, and lines after the line "ok", are skipped. */
	assert_int_equal(send_request("nonsense\n\n: \nok\nerror late\n", false, &reply, &error),
			 0);
	op_reply_release(&reply);
}

static void test_error_of_daemon_is_returned(void **state)
{
	struct op_reply reply;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(send_request("a: b\nerror the disk is full\n", false, &reply, &error),
			 -EREMOTEIO);
	assert_string_equal(error.text, "the disk is full");
	op_reply_release(&reply);
}

static void test_incomplete_answer_is_an_error(void **state)
{
	static const char *const answers[] = { "", "state: running\n", "state", "o", "error" };
	struct op_reply reply;
	struct op_reason error = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		assert_int_equal(send_request(answers[i], false, &reply, &error), -ECONNRESET);
		assert_non_null(strstr(error.text, "1234"));
		op_reply_release(&reply);
	}
}

static void test_silent_daemon_times_out(void **state)
{
	struct op_reply reply;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(send_request("state: running\n", true, &reply, &error), -ETIMEDOUT);
	assert_non_null(strstr(error.text, "has not answered for"));
	assert_non_null(strstr(error.text, "opcontrol --session-dir=/some/where --status"));
	op_reply_release(&reply);
}

/*
 * If a daemon listens but never replies, opcontrol prints which daemon it waits for and the time
 * limit, and fails after this time.
 */
static void test_silent_daemon_is_named_in_error(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct op_reason error = { "" };
	struct op_reply reply = { 0 };
	struct op_client client;
	char *said = NULL, want[64];
	size_t size;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/control", (char *)*state);
	assert_int_equal(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(sock, 1), 0);
	assert_int_equal(op_client_connect(&client, *state, 3, &error), 0);
	client.notices = open_memstream(&said, &size);
	alarm(60);	/* end the test if opcontrol does not stop waiting */
	assert_int_equal(op_client_request(&client, "dump now", &reply, &error), -ETIMEDOUT);
	alarm(0);
	fclose(client.notices);
	snprintf(want, sizeof(want), "(pid %d) to answer --dump, for 3 s at most", (int)getpid());
	assert_non_null(strstr(said, want));
	snprintf(want, sizeof(want), "(pid %d) has not answered for 3 s", (int)getpid());
	assert_non_null(strstr(error.text, want));
	op_reply_release(&reply);
	op_client_close(&client);
	free(said);
	close(sock);
}

/* Control characters in a daemon's text are replaced, so that they cannot control the terminal. */
static void test_control_characters_are_replaced(void **state)
{
	struct op_reply reply;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(send_request("why: \033[2J\a\ttext\nok\n", false, &reply, &error), 0);
	assert_string_equal(op_reply_get(&reply, "why"), "?[2J??text");
	op_reply_release(&reply);
	assert_int_equal(send_request("error \033]0;x\007\n", false, &reply, &error), -EREMOTEIO);
	assert_null(strchr(error.text, '\033'));
}

static void test_missing_socket_is_reported(void **state)
{
	struct op_client client;
	struct op_reason error = { "" };
	char *missing;
	int fd;

	assert_int_equal(op_client_connect(&client, *state, 1, &error), -ENOENT);
	assert_true(asprintf(&missing, "%s/missing", (char *)*state) > 0);
	assert_int_equal(op_client_connect(&client, missing, 1, &error), -ENOENT);
	free(missing);

	/* If the path of the socket is a regular file, an error is reported. */
	assert_true(asprintf(&missing, "%s/control", (char *)*state) > 0);
	fd = open(missing, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(op_client_connect(&client, *state, 1, &error), -ECONNREFUSED);
	assert_string_equal(error.text, "");
	free(missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer_is_parsed),
		cmocka_unit_test(test_error_of_daemon_is_returned),
		cmocka_unit_test(test_incomplete_answer_is_an_error),
		cmocka_unit_test(test_silent_daemon_times_out),
		cmocka_unit_test(test_control_characters_are_replaced),
		test_in_dir(test_missing_socket_is_reported),
		test_in_dir(test_silent_daemon_is_named_in_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
