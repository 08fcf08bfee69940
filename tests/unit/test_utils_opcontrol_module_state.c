// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opcontrol_module_state.c -- tests that each obstacle to using the module has its own
 * text and remedy.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "libop/base/fs.h"
#include "utils/opcontrol/module_state.h"
#include "utils/opcontrol/refusal.h"

#define RELEASE	"6.1.0-x"
#define LIB	"lib/modules/" RELEASE "/"

static void write_file(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0755), 0);
	close(dir);
}

static void expect_state(void **state, enum ctl_module_state want, const char *words,
			 const char *way_out)
{
	enum ctl_module_state got = ctl_module_state(*state, RELEASE);
	char text[300];

	assert_int_equal(got, want);
	assert_non_null(strstr(ctl_module_words(got), words));
	ctl_module_advice(text, sizeof(text), got, *state, RELEASE);
	if (!strstr(text, way_out))
		fail_msg("no \"%s\" in \"%s\"", way_out, text);
}

static void test_kernel_without_modules_is_reported(void **state)
{
	expect_state(state, CTL_MODULE_NO_SUPPORT, "no loadable modules", "perf_events");
	write_file(state, "proc/modules", "");
	write_file(state, "proc/sys/kernel/modules_disabled", "1\n");
	expect_state(state, CTL_MODULE_DISABLED, "modules_disabled", "restart");
	write_file(state, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect_state(state, CTL_MODULE_CONFIDENTIAL, "lockdown=confidentiality", "--source=perf");
}

static void test_missing_module_is_reported(void **state)
{
	write_file(state, "proc/modules", "");
	expect_state(state, CTL_MODULE_NO_HEADERS, "headers are missing",
		     "apt-get install linux-headers-" RELEASE);
	write_file(state, LIB "build/Makefile", "");
	/* A file whose name only begins with "oprofile.ko" is not the module. */
	write_file(state, LIB "modules.dep", "kernel/oprofile.koala: x\nkernel/fs/ext4.ko: x.ko\n");
	expect_state(state, CTL_MODULE_NOT_BUILT, "not built",
		     "dkms install oprofile/" PACKAGE_VERSION " -k " RELEASE);
	write_file(state, LIB "modules.dep",
		   "kernel/fs/ext4.ko: x.ko\nupdates/dkms/oprofile.ko:\n");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF");
	expect_state(state, CTL_MODULE_READY, "installed, not loaded", "opcontrol --init");
}

/* The kernel's reason is printed until the file is replaced. */
static void test_refused_module_is_reported(void **state)
{
	char file[300];

	write_file(state, "proc/modules", "");
	write_file(state, "run/other", "");
	write_file(state, LIB "modules.dep", "updates/dkms/oprofile.ko:\n");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF");
	snprintf(file, sizeof(file), "%s/" LIB "updates/dkms/oprofile.ko", (char *)*state);
	ctl_refusal_keep(*state, file, "wrong version magic: build it again");
	expect_state(state, CTL_MODULE_REFUSED, "the kernel refused it",
		     "wrong version magic: build it again");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF of another build");
	expect_state(state, CTL_MODULE_READY, "installed, not loaded", "opcontrol --init");
	ctl_refusal_keep(*state, file, "another reason");
	expect_state(state, CTL_MODULE_REFUSED, "the kernel refused it", "another reason");
	/* The state of the signature is more precise. */
	write_file(state, "sys/module/module/parameters/sig_enforce", "Y\n");
	expect_state(state, CTL_MODULE_NOT_SIGNED, "not signed", "openssl");
	write_file(state, "sys/module/module/parameters/sig_enforce", "N\n");
	ctl_refusal_forget(*state);
	expect_state(state, CTL_MODULE_READY, "installed, not loaded", "opcontrol --init");
}

static void test_unsigned_module_is_reported(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, LIB "modules.dep", "updates/dkms/oprofile.ko:\n");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF");
	write_file(state, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect_state(state, CTL_MODULE_NOT_SIGNED, "not signed",
		     "apt-get install openssl, then dkms remove oprofile/" PACKAGE_VERSION
		     " -k " RELEASE ", then dkms install oprofile/" PACKAGE_VERSION);
	write_file(state, "sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	write_file(state, "sys/module/module/parameters/sig_enforce", "Y\n");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF~Module signature appended~\n");
	expect_state(state, CTL_MODULE_READY, "installed", "opcontrol --init");
	write_file(state, "var/lib/dkms/mok.pub", "key");
	expect_state(state, CTL_MODULE_KEY_UNKNOWN, "enrolled keys only",
		     "apt-get install mokutil, then mokutil --test-key /var/lib/dkms/mok.pub");
	write_file(state, "usr/bin/mokutil", "#!/bin/sh\necho \"$2 is not enrolled\"\nexit 1\n");
	expect_state(state, CTL_MODULE_NOT_ENROLLED, "not enrolled",
		     "mokutil --import /var/lib/dkms/mok.pub");
	expect_state(state, CTL_MODULE_NOT_ENROLLED, "not enrolled",
		     "mokutil --test-key /var/lib/dkms/mok.pub");
	write_file(state, "usr/bin/mokutil", "#!/bin/sh\necho \"$2 is already enrolled\"\n");
	expect_state(state, CTL_MODULE_READY, "installed", "");
	/* If the kernel does not enforce signatures, an unsigned module is accepted. */
	write_file(state, "sys/module/module/parameters/sig_enforce", "N\n");
	write_file(state, LIB "updates/dkms/oprofile.ko", "ELF");
	expect_state(state, CTL_MODULE_READY, "installed", "");
	/* The kernel module is compressed: modinfo looks for its signature. */
	write_file(state, "sys/module/module/parameters/sig_enforce", "Y\n");
	write_file(state, LIB "modules.dep", "updates/dkms/oprofile.ko.xz:\n");
	write_file(state, LIB "updates/dkms/oprofile.ko.xz", "xz");
	write_file(state, "usr/bin/mokutil", "#!/bin/sh\necho \"$2 is not enrolled\"\nexit 1\n");
	expect_state(state, CTL_MODULE_NOT_ENROLLED, "not enrolled", "mokutil");
	write_file(state, "usr/sbin/modinfo", "#!/bin/sh\nexit 0\n");
	expect_state(state, CTL_MODULE_NOT_SIGNED, "not signed", "dkms install");
	write_file(state, "usr/sbin/modinfo", "#!/bin/sh\necho \"$1 $2\"\n");
	expect_state(state, CTL_MODULE_NOT_ENROLLED, "not enrolled", "mokutil");
}

static void test_loaded_module_is_recognised(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, "proc/sys/kernel/modules_disabled", "1\n");
	write_file(state, "sys/module/oprofile/refcnt", "0\n");
	expect_state(state, CTL_MODULE_LOADED, "loaded", "");
	write_file(state, "sys/module/oprofile/version", PACKAGE_VERSION "\n");
	expect_state(state, CTL_MODULE_LOADED, "loaded", "");
	write_file(state, "sys/module/oprofile/version", "1.0\n");
	expect_state(state, CTL_MODULE_OTHER_VERSION, "another version", "opcontrol --deinit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_kernel_without_modules_is_reported),
		test_in_dir(test_missing_module_is_reported),
		test_in_dir(test_refused_module_is_reported),
		test_in_dir(test_unsigned_module_is_reported),
		test_in_dir(test_loaded_module_is_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
