// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opattach_worker.c -- tests the child process in which opattach works on a target, and
 * the process that waits for the child.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"
#include "libop/base/clock.h"
#include "utils/opattach/thread.h"
#include "utils/opattach/worker.h"

/*
 * Run attach_worker_fork() in a new process whose child calls @what. Return the wait status of the
 * new process, and in @text its stderr and its error message.
 */
static int run_worker(void (*what)(const struct attach_worker *), unsigned int begin_ms,
		      unsigned int ms, void (*interrupt)(pid_t, int), char text[4096])
{
	struct attach_worker worker = { .pid = 1234, .begin_ms = begin_ms, .ms = ms };
	struct op_reason error = { "" };
	size_t len = 0;
	ssize_t got;
	int status, p[2];
	pid_t pid;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		dup2(p[1], STDERR_FILENO);
		if (attach_worker_fork(&worker, &status, &error)) {
			what(&worker);
			_exit(7);
		}
		if (write(STDERR_FILENO, error.text, strlen(error.text)) < 0)
			_exit(99);
		_exit(status);
	}
	close(p[1]);
	if (interrupt)
		interrupt(pid, p[0]);
	/*
	 * Read until all writers have closed the pipe. An abandoned child must have closed the
	 * pipe, too.
	 */
	while (len < 4095 && (got = read(p[0], text + len, 4095 - len)) > 0)
		len += got;
	text[len] = '\0';
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void print_stderr(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(98);
}

static void begin_and_return(const struct attach_worker *worker)
{
	close(worker->begun);
	print_stderr("message\n");
}

static void test_exit_status_and_messages_are_returned(void **state)
{
	char text[4096];
	int status = run_worker(begin_and_return, 60000, 0, NULL, text);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_string_equal(text, "message\n");
}

static void kill_self(const struct attach_worker *worker)
{
	(void)worker;
	raise(SIGKILL);
}

static void test_signal_of_worker_is_returned(void **state)
{
	char text[4096];
	int status = run_worker(kill_self, 60000, 0, NULL, text);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void hang_before_begin(const struct attach_worker *worker)
{
	(void)worker;
	print_stderr("message\n");
	pause();
}

static void test_worker_that_does_not_begin_is_killed(void **state)
{
	char text[4096];
	int status = run_worker(hang_before_begin, 100, 0, NULL, text);

	(void)state;
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "message\ncannot attach to process 1234 within 0 seconds: "));
}

static void hang_after_begin(const struct attach_worker *worker)
{
	close(worker->begun);
	print_stderr("ready\n");
	pause();
}

/* A child that has reported the start of sampling is killed only after the sampling duration plus
 * the time limit. */
static void test_worker_that_does_not_end_is_killed(void **state)
{
	const uint64_t began = op_now_ns();
	char text[4096];
	int status = run_worker(hang_after_begin, 100, 300, NULL, text);

	(void)state;
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "cannot detach from process 1234 "));
	assert_true(op_now_ns() - began >= 400000000);
}

static void ignore_sigterm(const struct attach_worker *worker)
{
	signal(SIGTERM, SIG_IGN);
	close(worker->begun);
	print_stderr("ready\n");
	pause();
}

static void terminate(pid_t pid, int text)
{
	char ready[6];

	assert_int_equal(read(text, ready, sizeof(ready)), sizeof(ready));
	kill(pid, SIGTERM);
}

static void test_sigterm_is_forwarded(void **state)
{
	char text[4096];
	int status = run_worker(hang_after_begin, 60000, 0, terminate, text);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	/* The parent abandons a child that ignores SIGTERM and does not end within the time
	 * limit. */
	status = run_worker(ignore_sigterm, 100, 0, terminate, text);
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "cannot detach from process 1234 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status_and_messages_are_returned),
				cmocka_unit_test(test_signal_of_worker_is_returned), cmocka_unit_test(test_worker_that_does_not_begin_is_killed),
		cmocka_unit_test(test_worker_that_does_not_end_is_killed),
				cmocka_unit_test(test_sigterm_is_forwarded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
