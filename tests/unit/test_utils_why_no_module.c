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

static void put(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0644), 0);
	close(dir);
}

static void says(void **state, int err, const char *text)
{
	struct op_reason error = { "" };

	assert_int_equal(ctl_why_no_module(*state, "6.1.0-x", err, &error), err);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}

static void test_no_module_support(void **state)
{
	says(state, -ENOENT, "without loadable modules");
	says(state, -ENOSYS, "without loadable modules");
}

static void test_switched_off(void **state)
{
	put(state, "proc/modules", "");
	put(state, "proc/sys/kernel/modules_disabled", "1\n");
	says(state, -EPERM, "until the next boot");
}

static void test_not_installed(void **state)
{
	put(state, "proc/modules", "");
	put(state, "proc/sys/kernel/modules_disabled", "0\n");
	says(state, -ENOENT, "apt-get install linux-headers-6.1.0-x");
	put(state, "lib/modules/6.1.0-x/build/Makefile", "");
	says(state, -ENOENT, "apt-get install oprofile-dkms, or dkms install oprofile/" PACKAGE_VERSION " -k 6.1.0-x");
	says(state, -ENOENT, "in a source tree make -C module");
}

static void test_refused(void **state)
{
	put(state, "proc/modules", "");
	put(state, "sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put(state, "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	says(state, -ENOEXEC, "another kernel");
	says(state, -ENOEXEC, "dkms build --force oprofile/" PACKAGE_VERSION " -k 6.1.0-x");
	says(state, -EKEYREJECTED, "sig_enforce");
	says(state, -EPERM, "Operation not permitted");
	says(state, -EIO, "dmesg");
	put(state, "proc/self/status", "Name:\tx\nCapEff:\t00000000a80425fb\n");
	says(state, -EPERM, "CAP_SYS_MODULE");
	put(state, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	says(state, -EPERM, "Secure Boot");
	says(state, -ENOKEY, "Secure Boot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_no_module_support),
		test_in_dir(test_switched_off),
		test_in_dir(test_not_installed),
		test_in_dir(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
