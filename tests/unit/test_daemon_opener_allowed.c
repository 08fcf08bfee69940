// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_opener_allowed.c -- tests that opperfopen opens the daemon's events and refuses all
 * other requests: sets each bit that the daemon does not set.
 */
#include "config.h"
#include "daemon/opener/allowed.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "libop/perf/opener.h"
#include "tests/unit/check.h"

static char sysfs[300];

/* Return the daemon's request for a sampling event, with all fields that the daemon may set. */
static struct op_perf_request sampling_request(void)
{
	return (struct op_perf_request){
		.magic = OP_PERF_REQUEST_MAGIC,
		.cpu = 3,
		.attr = {
			.size = sizeof(struct perf_event_attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period = 1000000,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER |
				       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				       PERF_SAMPLE_CGROUP,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | 1 << 4,
			.disabled = 1, .exclude_hv = 1, .exclude_idle = 1, .exclude_callchain_user = 1,
			.use_clockid = 1, .clockid = CLOCK_MONOTONIC_RAW,
			.watermark = 1, .wakeup_watermark = 65536,
			.sample_regs_user = 0xff, .sample_stack_user = 8192,
		},
	};
}

static struct op_perf_request notice_request(void)
{
	return (struct op_perf_request){
		.magic = OP_PERF_REQUEST_MAGIC,
		.attr = {
			.size = sizeof(struct perf_event_attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_DUMMY,
			.sample_type = PERF_SAMPLE_TIME,
			.exclude_kernel = 1, .exclude_hv = 1,
			.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1, .ksymbol = 1, .cgroup = 1, .sample_id_all = 1,
			.use_clockid = 1, .clockid = CLOCK_MONOTONIC_RAW,
			.watermark = 1, .wakeup_watermark = 65536,
		},
	};
}

static const char *check(const struct op_perf_request *r, size_t size)
{
	struct perf_event_attr attr;
	int cpu = -1;
	const char *refused = opn_check(&attr, &cpu, r, size, sysfs);

	if (!refused) {
		assert_int_equal(cpu, r->cpu);
		assert_memory_equal(&attr, &r->attr, r->attr.size);
	}
	return refused;
}

static void test_requests_of_daemon_are_allowed(void **state)
{
	struct op_perf_request r = sampling_request();

	(void)state;
	assert_null(check(&r, sizeof(r)));
	r = notice_request();
	assert_null(check(&r, sizeof(r)));
	/* A request with the size of perf_event_attr of an earlier kernel is allowed. */
	r = sampling_request();
	r.attr.size = PERF_ATTR_SIZE_VER5;
	assert_null(check(&r, OP_PERF_REQUEST_HEAD + PERF_ATTR_SIZE_VER5));
	r = sampling_request();
	r.attr.type = PERF_TYPE_RAW;
	r.attr.config = 0x5300c0;
	r.attr.config1 = 7;
	assert_null(check(&r, sizeof(r)));
	r.attr.type = PERF_TYPE_TRACEPOINT;
	assert_null(check(&r, sizeof(r)));
	/* The type number of the PMU of a hybrid CPU is allowed. */
	r.attr.type = 10;
	assert_null(check(&r, sizeof(r)));
}

static void refuse(const struct op_perf_request *r, const char *what)
{
	if (!check(r, sizeof(*r)))
		fail_msg("accepted: %s", what);
}

static void test_other_event_kinds_are_refused(void **state)
{
	struct op_perf_request r = sampling_request();

	(void)state;
	r.attr.type = PERF_TYPE_BREAKPOINT;
	refuse(&r, "a breakpoint");
	r.attr.type = 8;
	refuse(&r, "a kprobe");
	r.attr.type = 11;
	refuse(&r, "a PMU that does not exist");
	r.attr.type = PERF_TYPE_SOFTWARE;
	r.attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	refuse(&r, "output of a BPF program");
	r = sampling_request();
	r.attr.clockid = CLOCK_BOOTTIME;
	refuse(&r, "another clock");
	r.attr.use_clockid = 0;
	refuse(&r, "a clock without use_clockid");
	r = sampling_request();
	r.cpu = -1;
	refuse(&r, "any CPU");
	r.cpu = 1 << 20;
	refuse(&r, "a CPU that cannot exist");
	r = sampling_request();
	r.magic++;
	refuse(&r, "another version");
}

static void test_wrong_sizes_are_refused(void **state)
{
	struct op_perf_request r = sampling_request();
	char more[sizeof(r) + 1] = "";

	(void)state;
	for (size_t size = 0; size < sizeof(r); size++)
		assert_non_null(check(&r, size));
	memcpy(more, &r, sizeof(r));
	assert_non_null(opn_check(&r.attr, &r.cpu, more, sizeof(more), sysfs));
	r = sampling_request();
	r.attr.size = 8;
	assert_non_null(check(&r, OP_PERF_REQUEST_HEAD + 8));
}

/* Return whether this bit is set in any event of the daemon. */
static bool bit_is_used(size_t byte, unsigned int bit)
{
	struct op_perf_request a = sampling_request(), b = notice_request();
	struct perf_event_attr any = { .exclude_user = 1, .exclude_kernel = 1, .exclude_guest = 1 };
	const unsigned char *bytes[] = { (unsigned char *)&a.attr, (unsigned char *)&b.attr, (unsigned char *)&any };

	for (size_t i = 0; i < 3; i++)
		if (bytes[i][byte] >> bit & 1)
			return true;
	return false;
}

/* Of all flag bits and bits of masks, each of which is set alone, only those that the daemon uses
 * are allowed. */
static void test_other_attribute_bits_are_refused(void **state)
{
	static const struct { size_t from, to; } parts[] = {
		{ offsetof(struct perf_event_attr, sample_type), offsetof(struct perf_event_attr, wakeup_events) },
		{ offsetof(struct perf_event_attr, bp_type), offsetof(struct perf_event_attr, bp_addr) },
		{ offsetof(struct perf_event_attr, config2), offsetof(struct perf_event_attr, sample_regs_user) },
		{ offsetof(struct perf_event_attr, sample_regs_intr), sizeof(struct perf_event_attr) },
	};
	size_t nr = 0;

	(void)state;
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
		for (size_t byte = parts[p].from; byte < parts[p].to; byte++)
			for (unsigned int bit = 0; bit < 8; bit++) {
				struct op_perf_request r = sampling_request();
				char what[40];

				if (bit_is_used(byte, bit))
					continue;
				((unsigned char *)&r.attr)[byte] |= (unsigned char)(1 << bit);
				snprintf(what, sizeof(what), "byte %zu, bit %u", byte, bit);
				refuse(&r, what);
				nr++;
			}
	assert_true(nr > 300);
}

static int make_sysfs(void **state)
{
	static const struct { const char *name, *type; } pmus[] = { { "kprobe", "8" }, { "cpu_core", "4" }, { "cpu_atom", "10" } };
	char path[500];

	if (check_make_dir(state))
		return -1;
	snprintf(sysfs, sizeof(sysfs), "%s", (char *)*state);
	snprintf(path, sizeof(path), "%s/bus", sysfs);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/bus/event_source", sysfs);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/bus/event_source/devices", sysfs);
	mkdir(path, 0700);
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s", sysfs, pmus[i].name);
		mkdir(path, 0700);
		strcat(path, "/type");
		f = fopen(path, "w");
		if (!f)
			return -1;
		fprintf(f, "%s\n", pmus[i].type);
		fclose(f);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_of_daemon_are_allowed),
		cmocka_unit_test(test_other_event_kinds_are_refused),
		cmocka_unit_test(test_wrong_sizes_are_refused),
		cmocka_unit_test(test_other_attribute_bits_are_refused),
	};

	return cmocka_run_group_tests(tests, make_sysfs, check_remove_dir);
}
