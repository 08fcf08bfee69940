// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_uevents.c -- tests which uevents of the kernel are relevant. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/source/uevents.h"

static unsigned int kind_of(const char *message)
{
	return opd_uevent_kind(message, strlen(message));
}

static void cpu_and_module_events_are_recognised(void **state)
{
	(void)state;
	assert_int_equal(kind_of("online@/devices/system/cpu/cpu1"), OPD_UEVENT_CPU);
	assert_int_equal(kind_of("offline@/devices/system/cpu/cpu12"), OPD_UEVENT_CPU);
	assert_int_equal(kind_of("add@/module/kvm"), OPD_UEVENT_MODULE);
	assert_int_equal(kind_of("remove@/module/kvm"), OPD_UEVENT_MODULE);
}

static void other_events_are_ignored(void **state)
{
	(void)state;
	assert_int_equal(kind_of(""), 0);
	assert_int_equal(kind_of("add@/devices/pci0000:00/0000:00:01.0"), 0);
	assert_int_equal(kind_of("change@/module/kvm"), 0);
	assert_int_equal(kind_of("online@/devices/system/memory/memory3"), 0);
	assert_int_equal(opd_uevent_kind("online@/devices/system/cpu/cpu1", 10), 0);
}

static void closed_socket_returns_no_event(void **state)
{
	int fd = opd_uevents_open();

	(void)state;
	if (fd < 0)
		skip();
	opd_uevents_read(fd);	/* discard earlier uevents; this call must not wait */
	close(fd);
	assert_int_equal(opd_uevents_read(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_and_module_events_are_recognised),
		cmocka_unit_test(other_events_are_ignored),
		cmocka_unit_test(closed_socket_returns_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
