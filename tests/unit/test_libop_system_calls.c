// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_system_calls.c -- tests the seccomp filter: listed system calls work, all others fail
 * without killing the process. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libop/base/system_calls.h"

enum { NOT_HERE = 77 };

/*
 * Allow only write and exit_group, and check that other system calls fail. Return the child's exit
 * status.
 */
static int run_with_filter(int fd)
{
	static const int allowed[] = { SYS_write, SYS_exit_group };
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : op_only_system_calls(allowed, 2);

	if (err == -ENOTSUP)
		return NOT_HERE;
	if (err)
		return 1;
	if (syscall(SYS_write, fd, "x", 1) != 1)
		return 2;
	if (syscall(SYS_getppid) != -1 || errno != EPERM)
		return 3;
	if (syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY) != -1 || errno != EPERM)
		return 4;
	return 0;
}

static void unlisted_system_calls_fail(void **state)
{
	int fds[2], status;
	char byte = 0;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child)
		/*
		 * Make a raw system call, because the _exit() of a sanitizer makes system calls
		 * that the filter refuses.
		 */
		syscall(SYS_exit_group, run_with_filter(fds[1]));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
}

static void too_many_system_calls_are_refused(void **state)
{
	static const int many[OP_SYSTEM_CALLS_MAX + 1];
	int err = op_only_system_calls(many, OP_SYSTEM_CALLS_MAX + 1);

	(void)state;
	assert_true(err == -E2BIG || err == -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlisted_system_calls_fail),
		cmocka_unit_test(too_many_system_calls_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
