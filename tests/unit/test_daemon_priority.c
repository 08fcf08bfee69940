// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_priority.c -- tests that the thread that drains the kernel's buffers has a higher
 * priority than the daemon's child processes.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/priority.h"

static int my_nice(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

/* Wait for @child and return its exit status. */
static int end_of(pid_t child)
{
	int status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int spawn(const char *command)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	pid_t child = 0;

	assert_int_equal(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ), 0);
	return end_of(child);
}

/* Raise the priority of this thread, or skip the test if this is not permitted. */
static void raise_or_skip(void)
{
	int err = opd_priority_raise();

	if (err == -EALREADY)
		print_message("the test was started at another priority than the usual one\n");
	if (err)
		skip();
}

static void children_get_default_priority(void **state)
{
	pid_t child;

	(void)state;
	raise_or_skip();
	assert_int_equal(my_nice(), OPD_PRIORITY_NICE);
	child = fork();
	if (!child)
		_exit(my_nice() != 0);
	assert_int_equal(end_of(child), 0);
	assert_int_equal(spawn("[ \"$(nice)\" = 0 ]"), 0);
	opd_priority_restore();
	assert_int_equal(my_nice(), 0);
}

static void priority_can_be_raised_again(void **state)
{
	(void)state;
	raise_or_skip();
	opd_priority_restore();
	assert_int_equal(opd_priority_raise(), 0);
	assert_int_equal(my_nice(), OPD_PRIORITY_NICE);
	opd_priority_restore();
	assert_int_equal(my_nice(), 0);
}

/* If a user has raised the nice value of a process, the process keeps this value. */
static void nice_value_of_user_is_kept(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		setpriority(PRIO_PROCESS, 0, 15);
		_exit(opd_priority_raise() != -EALREADY || my_nice() != 15);
	}
	assert_int_equal(end_of(child), 0);
}

static void unprivileged_user_cannot_raise_priority(void **state)
{
	const struct rlimit none = { 0, 0 };
	pid_t child;

	(void)state;
	if (my_nice())
		skip();
	child = fork();
	if (!child) {
		setrlimit(RLIMIT_NICE, &none);
		if (!geteuid() && setuid(65534))
			_exit(2);
		_exit(!opd_priority_raise() || my_nice() != 0);
	}
	assert_int_equal(end_of(child), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_get_default_priority),
		cmocka_unit_test(priority_can_be_raised_again),
		cmocka_unit_test(nice_value_of_user_is_kept),
		cmocka_unit_test(unprivileged_user_cannot_raise_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
