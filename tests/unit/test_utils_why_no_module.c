// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_why_no_module.c -- tests that each kind of refused module load gets its own cause and
 * remedy.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/base/fs.h"
#include "utils/opcontrol/why_no_module.h"

static void write_file(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0644), 0);
	close(dir);
}

static void expect_message(void **state, int err, const char *text)
{
	struct op_reason error = { "" };

	assert_int_equal(ctl_why_no_module(*state, "6.1.0-x", err, &error), err);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" does not contain \"%s\"", error.text, text);
}

static void test_no_module_support(void **state)
{
	expect_message(state, -ENOENT, "without loadable modules");
	expect_message(state, -ENOSYS, "without loadable modules");
}

static void test_disabled_modules_are_reported(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, "proc/sys/kernel/modules_disabled", "1\n");
	expect_message(state, -EPERM, "until the next boot");
}

static void test_missing_module_is_reported(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, "proc/sys/kernel/modules_disabled", "0\n");
	expect_message(state, -ENOENT, "apt-get install linux-headers-6.1.0-x");
	write_file(state, "lib/modules/6.1.0-x/build/Makefile", "");
	expect_message(state, -ENOENT,
		       "apt-get install oprofile-dkms, or dkms install oprofile/" PACKAGE_VERSION " -k 6.1.0-x");
	expect_message(state, -ENOENT, "in a source tree make -C module");
}

static void test_refused_module_is_explained(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, "sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	write_file(state, "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	expect_message(state, -ENOEXEC, "another kernel");
	expect_message(state, -ENOEXEC,
		       "dkms remove oprofile/" PACKAGE_VERSION " -k 6.1.0-x and dkms install oprofile/");
	expect_message(state, -EKEYREJECTED, "sig_enforce");
	expect_message(state, -EPERM, "Operation not permitted");
	expect_message(state, -EIO, "dmesg");
	write_file(state, "proc/self/status", "Name:\tx\nCapEff:\t00000000a80425fb\n");
	expect_message(state, -EPERM, "CAP_SYS_MODULE");
	write_file(state, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect_message(state, -EPERM, "Secure Boot");
	expect_message(state, -ENOKEY, "Secure Boot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_no_module_support),
		test_in_dir(test_disabled_modules_are_reported),
		test_in_dir(test_missing_module_is_reported),
		test_in_dir(test_refused_module_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
