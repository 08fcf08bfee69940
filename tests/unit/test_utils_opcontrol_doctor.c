// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opcontrol_doctor.c -- tests opcontrol --doctor: each problem is printed in one line
 * with a remedy, and the exit status is that of the worst problem.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/fs.h"
#include "utils/opcontrol/doctor.h"
#include "utils/opcontrol/service.h"

static void write_file(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0755), 0);
	close(dir);
}

static void remove_file(void **state, const char *path)
{
	int dir = check_open_dir(state);

	assert_int_equal(unlinkat(dir, path, 0), 0);
	close(dir);
}

/* Return the description of a machine on which all checks of --doctor succeed. */
static struct ctl_patient healthy_machine(void **state)
{
	write_file(state, "proc/modules", "");
	write_file(state, "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	write_file(state, "proc/sys/kernel/perf_event_paranoid", "2\n");
	write_file(state, "proc/sys/kernel/kptr_restrict", "1\n");
	write_file(state, "sys/module/oprofile/refcnt", "0\n");
	write_file(state, "sys/bus/event_source/devices/cpu/type", "4\n");
	write_file(state, "usr/lib/debug/.build-id/x", "");
	setenv(CTL_ROOT_ENV, *state, 1);
	return (struct ctl_patient){ .root = *state, .release = "6.1.0-x", .session_dir = "/var/lib/x",
				     .now = 1800000000, .disk.free_bytes = 1ull << 40 };
}

static void expect_line(const struct ctl_patient *p, enum ctl_health health, const char *line,
			const char *way_out)
{
	char *text = NULL, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(ctl_doctor(out, p), health);
	fclose(out);
	at = strstr(text, line);
	if (!at || (*way_out && !strstr(at, way_out)))
		fail_msg("no \"%s\" with \"%s\" in:\n%s", line, way_out, text);
	free(text);
}

static void test_healthy_machine_is_ok(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	expect_line(&p, CTL_HEALTH_FINE, "ok     Kernel module: loaded\n",
		    "Samples can be taken.\n");
	expect_line(&p, CTL_HEALTH_FINE, "ok     Service: no unit", "opcontrol --start");
}

static void test_kernel_restrictions_are_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	write_file(state, "proc/sys/kernel/perf_event_paranoid", "3\n");
	expect_line(&p, CTL_HEALTH_LIMITED,
		    "limit  perf_events: kernel.perf_event_paranoid lets only root and the service oprofile",
		    "sysctl kernel.perf_event_paranoid=2");
	write_file(state, "proc/sys/kernel/kptr_restrict", "2\n");
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Kernel symbols: kernel.kptr_restrict",
		    "sysctl kernel.kptr_restrict=1");
	remove_file(state, "proc/sys/kernel/perf_event_paranoid");
	expect_line(&p, CTL_HEALTH_LIMITED,
		    "limit  perf_events: this kernel does not have perf_events", "module works");
	remove_file(state, "proc/modules");
	expect_line(&p, CTL_HEALTH_BROKEN, "FAILS  perf_events: this kernel has neither",
		    "build the module");
	expect_line(&p, CTL_HEALTH_BROKEN,
		    "limit  Kernel module: this kernel has no loadable modules", "");
	expect_line(&p, CTL_HEALTH_BROKEN, "No samples can be taken", "");
}

static void test_missing_counters_are_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);
	int dir = check_open_dir(state);

	assert_int_equal(renameat(dir, "sys/bus/event_source/devices/cpu", dir, "none"), 0);
	close(dir);
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Counters: no counters",
		    "sampling by time works");
}

static void test_missing_privileges_are_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	write_file(state, "proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Rights: your own programs", "sudo");
	write_file(state, "run/.containerenv", "");
	expect_line(&p, CTL_HEALTH_BROKEN, "FAILS  Rights: a container", "--cap-add=PERFMON");
	write_file(state, "proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	expect_line(&p, CTL_HEALTH_FINE, "ok     Rights: a container that may sample", "");
}

static void test_disk_problems_are_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	p.disk.free_bytes = 100 << 20;
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Disk: 100 MB free for /var/lib/x",
		    "--max-disk");
	p.disk.free_bytes = 1 << 20;
	expect_line(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: 1 MB free", "free some disk space");
	p.disk.free_bytes = 1ull << 40;
	p.disk.is_nfs = true;
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Disk: /var/lib/x is on NFS", "local disk");
	p.disk.is_read_only = true;
	expect_line(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: /var/lib/x is mounted read-only",
		    "remount,rw");
	p.disk.error = -ETIMEDOUT;
	expect_line(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: /var/lib/x does not answer",
		    "bring the server back");
	p.disk.error = -EIO;
	expect_line(&p, CTL_HEALTH_BROKEN,
		    "FAILS  Disk: cannot look at the file system of /var/lib/x: Input", "dmesg");
}

static void test_unset_clock_is_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	p.now = 3600;
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Clock: was never set", "timedatectl");
}

static void test_failed_service_is_reported(void **state)
{
	struct ctl_patient p = healthy_machine(state);

	write_file(state, "run/systemd/system/x", "");
	write_file(state, "usr/bin/systemctl",
		   "#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=failed\\nMainPID=0\\n'\n");
	expect_line(&p, CTL_HEALTH_LIMITED, "limit  Service: oprofile.service is failed",
		    "systemctl status oprofile names the cause; then opcontrol --start");
	write_file(state, "usr/bin/systemctl",
		   "#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=active\\nMainPID=7\\n'\n");
	expect_line(&p, CTL_HEALTH_FINE, "ok     Service: oprofile.service is active\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_healthy_machine_is_ok),
		test_in_dir(test_kernel_restrictions_are_reported),
		test_in_dir(test_missing_counters_are_reported),
		test_in_dir(test_missing_privileges_are_reported),
		test_in_dir(test_disk_problems_are_reported),
		test_in_dir(test_unset_clock_is_reported),
		test_in_dir(test_failed_service_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
