// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_rights.c -- tests the removal of rights: unlisted system calls fail without killing the
 * process, capabilities are gone, and resource limits are lowered but never raised. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libop/base/rights.h"

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

/* Return 0 if this process has dropped all capabilities. */
static int run_without_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (op_drop_capabilities())
		return 1;
	if (syscall(SYS_capget, &header, data))
		return 2;
	for (int i = 0; i < 2; i++)
		if (data[i].effective || data[i].permitted || data[i].inheritable)
			return 3;
	return 0;
}

/* Return 0 if a resource limit can be lowered, and if a higher limit changes nothing. */
static int run_with_lower_limit(void)
{
	const struct rlimit high = { .rlim_cur = 40, .rlim_max = 50 };
	struct rlimit now;

	if (setrlimit(RLIMIT_NOFILE, &high) || op_lower_limit(RLIMIT_NOFILE, 45))
		return 1;
	if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur != 40 || now.rlim_max != 45)
		return 2;
	if (op_lower_limit(RLIMIT_NOFILE, 30) || op_lower_limit(RLIMIT_NOFILE, 60))
		return 3;
	if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur != 30 || now.rlim_max != 30)
		return 4;
	return op_lower_limit(-1, 0) == -EINVAL ? 0 : 5;
}

/* Run @run in a child process, which exits with the result of @run. Return the exit status. */
static int status_of_child(int (*run)(void))
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void capabilities_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(status_of_child(run_without_capabilities), 0);
}

static void limits_are_only_lowered(void **state)
{
	(void)state;
	assert_int_equal(status_of_child(run_with_lower_limit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlisted_system_calls_fail),
		cmocka_unit_test(too_many_system_calls_are_refused),
		cmocka_unit_test(capabilities_are_dropped),
		cmocka_unit_test(limits_are_only_lowered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
