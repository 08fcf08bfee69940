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

static void put(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0755), 0);
	close(dir);
}

static void take(void **state, const char *path)
{
	int dir = check_open_dir(state);

	assert_int_equal(unlinkat(dir, path, 0), 0);
	close(dir);
}

/* Return the facts of a machine on which everything works. */
static struct ctl_patient healthy(void **state)
{
	put(state, "proc/modules", "");
	put(state, "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	put(state, "proc/sys/kernel/perf_event_paranoid", "2\n");
	put(state, "proc/sys/kernel/kptr_restrict", "1\n");
	put(state, "sys/module/oprofile/refcnt", "0\n");
	put(state, "sys/bus/event_source/devices/cpu/type", "4\n");
	put(state, "usr/lib/debug/.build-id/x", "");
	setenv(CTL_ROOT_ENV, *state, 1);
	return (struct ctl_patient){ .root = *state, .release = "6.1.0-x", .session_dir = "/var/lib/x",
				     .now = 1800000000, .disk.free_bytes = 1ull << 40 };
}

static void says(const struct ctl_patient *p, enum ctl_health health, const char *line,
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

static void test_healthy(void **state)
{
	struct ctl_patient p = healthy(state);

	says(&p, CTL_HEALTH_FINE, "ok     Kernel module: loaded\n", "Samples can be taken.\n");
	says(&p, CTL_HEALTH_FINE, "ok     Service: no unit", "opcontrol --start");
}

static void test_kernel(void **state)
{
	struct ctl_patient p = healthy(state);

	put(state, "proc/sys/kernel/perf_event_paranoid", "3\n");
	says(&p, CTL_HEALTH_LIMITED, "limit  perf_events: kernel.perf_event_paranoid lets only root and the service oprofile",
	     "sysctl kernel.perf_event_paranoid=2");
	put(state, "proc/sys/kernel/kptr_restrict", "2\n");
	says(&p, CTL_HEALTH_LIMITED, "limit  Kernel symbols: kernel.kptr_restrict",
	     "sysctl kernel.kptr_restrict=1");
	take(state, "proc/sys/kernel/perf_event_paranoid");
	says(&p, CTL_HEALTH_LIMITED, "limit  perf_events: this kernel does not have perf_events", "module works");
	take(state, "proc/modules");
	says(&p, CTL_HEALTH_BROKEN, "FAILS  perf_events: this kernel has neither", "build the module");
	says(&p, CTL_HEALTH_BROKEN, "limit  Kernel module: this kernel has no loadable modules", "");
	says(&p, CTL_HEALTH_BROKEN, "No samples can be taken", "");
}

static void test_no_counters(void **state)
{
	struct ctl_patient p = healthy(state);
	int dir = check_open_dir(state);

	assert_int_equal(renameat(dir, "sys/bus/event_source/devices/cpu", dir, "none"), 0);
	close(dir);
	says(&p, CTL_HEALTH_LIMITED, "limit  Counters: no counters", "sampling by time works");
}

static void test_rights(void **state)
{
	struct ctl_patient p = healthy(state);

	put(state, "proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	says(&p, CTL_HEALTH_LIMITED, "limit  Rights: your own programs", "sudo");
	put(state, "run/.containerenv", "");
	says(&p, CTL_HEALTH_BROKEN, "FAILS  Rights: a container", "--cap-add=PERFMON");
	put(state, "proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	says(&p, CTL_HEALTH_FINE, "ok     Rights: a container that may sample", "");
}

static void test_disk(void **state)
{
	struct ctl_patient p = healthy(state);

	p.disk.free_bytes = 100 << 20;
	says(&p, CTL_HEALTH_LIMITED, "limit  Disk: 100 MB free for /var/lib/x", "--max-disk");
	p.disk.free_bytes = 1 << 20;
	says(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: 1 MB free", "free some disk space");
	p.disk.free_bytes = 1ull << 40;
	p.disk.is_nfs = true;
	says(&p, CTL_HEALTH_LIMITED, "limit  Disk: /var/lib/x is on NFS", "local disk");
	p.disk.is_read_only = true;
	says(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: /var/lib/x is mounted read-only", "remount,rw");
	p.disk.error = -ETIMEDOUT;
	says(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: /var/lib/x does not answer", "bring the server back");
	p.disk.error = -EIO;
	says(&p, CTL_HEALTH_BROKEN, "FAILS  Disk: cannot look at the file system of /var/lib/x: Input", "dmesg");
}

static void test_clock(void **state)
{
	struct ctl_patient p = healthy(state);

	p.now = 3600;
	says(&p, CTL_HEALTH_LIMITED, "limit  Clock: was never set", "timedatectl");
}

static void test_service(void **state)
{
	struct ctl_patient p = healthy(state);

	put(state, "run/systemd/system/x", "");
	put(state, "usr/bin/systemctl", "#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=failed\\nMainPID=0\\n'\n");
	says(&p, CTL_HEALTH_LIMITED, "limit  Service: oprofile.service is failed", "systemctl status oprofile");
	put(state, "usr/bin/systemctl", "#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=active\\nMainPID=7\\n'\n");
	says(&p, CTL_HEALTH_FINE, "ok     Service: oprofile.service is active\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_healthy), test_in_dir(test_kernel), test_in_dir(test_no_counters),
		test_in_dir(test_rights),  test_in_dir(test_disk),   test_in_dir(test_clock),
		test_in_dir(test_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
