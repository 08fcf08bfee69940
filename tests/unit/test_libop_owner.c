// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_owner.c -- tests the check of owners and modes of the directories and files that a
 * program uses, as root and as a user.
 */
#include "config.h"
#include "libop/base/owner.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/check.h"

static int check_mode(void **state, mode_t mode, uid_t uid, gid_t gid, bool is_dir)
{
	struct op_reason error = { "" };
	char path[300];
	int fd, err;

	snprintf(path, sizeof(path), "%s/x", (char *)*state);
	if (is_dir)
		assert_int_equal(mkdir(path, 0700), 0);
	fd = open(path, is_dir ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	if (geteuid() == 0)
		assert_int_equal(fchown(fd, uid, gid), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	err = op_owner_check(fd, "THE/PATH", &error);
	if (err)
		assert_non_null(strstr(error.text, "THE/PATH"));
	else
		assert_string_equal(error.text, "");
	close(fd);
	remove(path);
	return err;
}

static void test_writable_files_are_refused(void **state)
{
	uid_t me = geteuid();
	gid_t mine = getegid();

	assert_int_equal(check_mode(state, 0600, me, mine, false), 0);
	assert_int_equal(check_mode(state, 0644, me, mine, false), 0);
	assert_int_equal(check_mode(state, 0646, me, mine, false), -EPERM);
	assert_int_equal(check_mode(state, 0755, me, mine, true), 0);
	assert_int_equal(check_mode(state, 0777, me, mine, true), -EPERM);
	assert_int_equal(check_mode(state, 01777, me, mine, true), 0);
	/* The sticky bit does not protect a file, so the file is refused. */
	assert_int_equal(check_mode(state, 01666, me, mine, false), -EPERM);
}

static void test_files_of_other_owners_are_refused(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(check_mode(state, 0600, 65534, 0, false), -EPERM);
	assert_int_equal(check_mode(state, 0700, 65534, 0, true), -EPERM);
	assert_int_equal(check_mode(state, 0660, 0, 0, false), 0);
	/* Root trusts only its own group. */
	assert_int_equal(check_mode(state, 0660, 0, 65534, false), -EPERM);
	assert_int_equal(check_mode(state, 0640, 0, 65534, false), 0);
}

static void test_only_own_and_root_files_are_trusted(void **state)
{
	(void)state;
	assert_true(op_owner_trusted(0));
	assert_true(op_owner_trusted(geteuid()));
	assert_false(op_owner_trusted(geteuid() + 1));
}

/*
 * Return whether op_reads_all_users() is true in a child of another user: without capabilities, or
 * with CAP_DAC_READ_SEARCH.
 */
static int child_reads_all(bool with_capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		if (setresuid(65534, 65534, 65534))
			_exit(2);
		if (with_capability)
			data[0].permitted = data[0].effective = 1u << CAP_DAC_READ_SEARCH;
		if (syscall(SYS_capset, &header, data))
			_exit(2);
		_exit(op_reads_all_users());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_reads_all_users(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_true(op_reads_all_users());
	assert_int_equal(child_reads_all(false), 0);
	assert_int_equal(child_reads_all(true), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_writable_files_are_refused),
		test_in_dir(test_files_of_other_owners_are_refused),
		cmocka_unit_test(test_only_own_and_root_files_are_trusted),
		cmocka_unit_test(test_reads_all_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
