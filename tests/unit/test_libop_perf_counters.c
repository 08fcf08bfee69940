// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_perf_counters.c -- tests the interpretation of perf_event_open()'s errors: the machine
 * has no counters, this user is not permitted to count, or virtual machines cannot be excluded.
 */
#include "config.h"
#include "libop/perf/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "libop/perf/open.h"
#include "tests/unit/check.h"

/* Simulated results of perf_event_open(), with and without exclude_guest. */
static struct {
	int with, without, calls;
} kernel;

long syscall(long nr, ...)
{
	const struct perf_event_attr *attr;
	va_list ap;
	int err;

	va_start(ap, nr);
	attr = va_arg(ap, const struct perf_event_attr *);
	va_end(ap);
	assert_int_equal(nr, SYS_perf_event_open);
	kernel.calls++;
	err = attr->exclude_guest ? kernel.with : kernel.without;
	errno = err;
	return err ? -1 : dup(0);
}

static int open_with_answers(int without, int with, bool *outside)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	kernel.with = with;
	kernel.without = without;
	kernel.calls = 0;
	fd = op_perf_open(&attr, 0, -1);
	*outside = attr.exclude_guest;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_guest_exclusion_is_retried(void **state)
{
	bool outside;

	(void)state;
	assert_int_equal(open_with_answers(0, 0, &outside), 0);
	assert_false(outside);
	assert_int_equal(kernel.calls, 1);
	assert_int_equal(open_with_answers(EOPNOTSUPP, 0, &outside), 0);
	assert_true(outside);
	assert_int_equal(open_with_answers(EOPNOTSUPP, EINVAL, &outside), -EOPNOTSUPP);
	assert_false(outside);
	assert_int_equal(open_with_answers(ENOENT, 0, &outside), -ENOENT);
	assert_int_equal(kernel.calls, 1);
}

static int find(int err, struct op_reason *error)
{
	struct op_cpu_found cpu;

	*error = (struct op_reason){ "" };
	kernel.with = kernel.without = err;
	return op_counters_find(&cpu, error);
}

static void test_missing_counters_are_reported(void **state)
{
	struct op_cpu_found host;
	struct op_reason error;

	(void)state;
	if (op_cpu_host(&host, &error))
		skip();
	assert_int_equal(find(0, &error), 0);
	assert_string_equal(error.text, "");
	assert_int_equal(find(EBUSY, &error), 0);
	assert_int_equal(find(ENOENT, &error), -ENODEV);
	assert_non_null(strstr(error.text, "no counters"));
	assert_int_equal(find(EOPNOTSUPP, &error), -ENODEV);
	assert_int_equal(find(EACCES, &error), op_counters_listed("/sys/bus/event_source/devices") ? -EACCES : -ENODEV);
}

static void make_dir(void **state, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void test_counter_pmus_are_listed(void **state)
{
	make_dir(state, "software");
	make_dir(state, "msr");
	assert_false(op_counters_listed(*state));
	make_dir(state, "armv8_pmuv3_0");
	assert_true(op_counters_listed(*state));
	assert_false(op_counters_listed("/no/such/directory"));
}

static void put_parameter(void **state, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/kvm_amd/parameters/enable_mediated_pmu", (char *)*state);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void test_mediated_pmu_is_detected(void **state)
{
	assert_false(op_counters_mediated(*state));
	make_dir(state, "kvm_amd");
	make_dir(state, "kvm_amd/parameters");
	put_parameter(state, "N\n");
	assert_false(op_counters_mediated(*state));
	put_parameter(state, "Y\n");
	assert_true(op_counters_mediated(*state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guest_exclusion_is_retried),
		cmocka_unit_test(test_missing_counters_are_reported),
		test_in_dir(test_counter_pmus_are_listed),
		test_in_dir(test_mediated_pmu_is_detected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
