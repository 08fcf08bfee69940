// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_uevents.c -- tests which uevents of the kernel are relevant. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/source/uevents.h"

static unsigned int kind(const char *message)
{
	return opd_uevent_kind(message, strlen(message));
}

static void knows_cpus_and_modules(void **state)
{
	(void)state;
	assert_int_equal(kind("online@/devices/system/cpu/cpu1"), OPD_UEVENT_CPU);
	assert_int_equal(kind("offline@/devices/system/cpu/cpu12"), OPD_UEVENT_CPU);
	assert_int_equal(kind("add@/module/kvm"), OPD_UEVENT_MODULE);
	assert_int_equal(kind("remove@/module/kvm"), OPD_UEVENT_MODULE);
}

static void ignores_the_rest(void **state)
{
	(void)state;
	assert_int_equal(kind(""), 0);
	assert_int_equal(kind("add@/devices/pci0000:00/0000:00:01.0"), 0);
	assert_int_equal(kind("change@/module/kvm"), 0);
	assert_int_equal(kind("online@/devices/system/memory/memory3"), 0);
	assert_int_equal(opd_uevent_kind("online@/devices/system/cpu/cpu1", 10), 0);
}

static void an_empty_socket_has_none(void **state)
{
	int fd = opd_uevents_open();

	(void)state;
	if (fd < 0)
		skip();
	opd_uevents_read(fd);	/* discard any earlier announcements; must not wait */
	close(fd);
	assert_int_equal(opd_uevents_read(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_cpus_and_modules),
		cmocka_unit_test(ignores_the_rest),
		cmocka_unit_test(an_empty_socket_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
