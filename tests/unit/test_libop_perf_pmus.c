// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_perf_pmus.c -- tests the event codes for perf_events, on machines with one and with
 * two core types.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/stat.h>

#include "daemon/options.h"
#include "daemon/source/events.h"
#include "libop/perf/pmus.h"

struct fixture {
	void *dir;
	int dirfd;
	struct opd_config cfg;
	struct op_perf_pmus *pmus;
	struct op_reason error;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	check_make_dir(&f->dir);
	f->dirfd = check_open_dir(&f->dir);
	f->pmus = calloc(1, sizeof(*f->pmus));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_config_release(&f->cfg);
	close(f->dirfd);
	check_remove_dir(&f->dir);
	free(f->pmus);
	free(f);
	return 0;
}

static void write_file(struct fixture *f, const char *pmu, const char *file, const char *text)
{
	static const char *const dirs[] = { "bus", "bus/event_source", "bus/event_source/devices" };
	char path[200];
	int fd;

	for (size_t i = 0; i < 3; i++)
		mkdirat(f->dirfd, dirs[i], 0755);
	snprintf(path, sizeof(path), "%s/%s", dirs[2], pmu);
	mkdirat(f->dirfd, path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", dirs[2], pmu, file);
	fd = openat(f->dirfd, path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int init_pmus(struct fixture *f, const char *cpu, const char *events)
{
	char *argv[] = { (char *)"oprofiled", (char *)cpu, (char *)events, NULL };
	struct op_reason error = { "" };

	assert_int_equal(opd_config_parse(&f->cfg, 3, argv, stdout, stderr), OPD_PARSE_RUN);
	if (opd_events_resolve(&f->cfg, &error))
		fail_msg("%s", error.text);
	return op_perf_pmus_init(f->pmus, &f->cfg.plan, f->dir, &f->error);
}

static void test_single_pmu_has_raw_codes(void **state)
{
	struct fixture *f = *state;
	const struct op_perf_code *code;

	write_file(f, "cpu", "type", "4\n");
	assert_int_equal(init_pmus(f, "--cpu-type=i386/skylake", "--events=CPU_CLK_UNHALTED:100000,"
				   "TIMER:1000000,r1c2:5000"), 0);
	code = op_perf_code(f->pmus, 7, 0);
	assert_true(code->counted && !code->timer);
	assert_int_equal(code->type, PERF_TYPE_RAW);
	assert_int_equal(code->config, 0x3c);
	code = op_perf_code(f->pmus, 7, 1);
	assert_true(code->counted && code->timer);
	assert_int_equal(code->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(code->config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(op_perf_code(f->pmus, 0, 2)->config, 0x1c2);
	assert_string_equal(f->pmus->note, "");
}

static void test_arm_pmu_has_raw_codes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(init_pmus(f, "--cpu-type=arm/armv8-ca57", "--events=CPU_CYCLES:100000"),
			 0);
	assert_int_equal(op_perf_code(f->pmus, 0, 0)->type, PERF_TYPE_RAW);
	assert_int_equal(op_perf_code(f->pmus, 0, 0)->config, 0x11);
}

/* Each kind of core of a hybrid machine has its own PMU, CPUs and event codes. */
static void test_core_kinds_have_own_pmus(void **state)
{
	struct fixture *f = *state;

	write_file(f, "cpu_core", "type", "4\n");
	write_file(f, "cpu_core", "cpus", "0-3\n");
	write_file(f, "cpu_atom", "type", "10\n");
	write_file(f, "cpu_atom", "cpus", "4-5,7\n");
	/*
	 * The first event has the same code on both kinds of cores. The other two events exist only
	 * on performance cores.
	 */
	assert_int_equal(init_pmus(f, "--cpu-type=i386/alderlake-p",
				   "--events=CPU_CLK_UNHALTED:100000,"
				   "UOPS_EXECUTED:100000,r1c2:5000"), 0);
	assert_int_equal(f->pmus->kinds.nr, 2);
	for (int cpu = 0; cpu < 8; cpu++) {
		bool atom = cpu == 4 || cpu == 5 || cpu == 7;
		const struct op_perf_code *cycles = op_perf_code(f->pmus, cpu, 0);

		assert_true(cycles->counted);
		assert_int_equal(cycles->type, atom ? 10 : 4);
		assert_int_equal(cycles->config, 0x3c);
		assert_int_equal(op_perf_code(f->pmus, cpu, 1)->counted, !atom);
		assert_int_equal(op_perf_code(f->pmus, cpu, 2)->counted, !atom);
	}
	assert_non_null(strstr(f->pmus->note, "UOPS_EXECUTED is not counted on the efficiency cores"));
	assert_non_null(strstr(f->pmus->note, "r1c2 is not counted on the efficiency cores"));
	assert_null(strstr(f->pmus->note, "CPU_CLK"));
}

static void test_hybrid_started_on_efficiency_core(void **state)
{
	struct fixture *f = *state;

	write_file(f, "cpu_core", "type", "4\n");
	write_file(f, "cpu_core", "cpus", "0\n");
	write_file(f, "cpu_atom", "type", "10\n");
	write_file(f, "cpu_atom", "cpus", "1\n");
	assert_int_equal(init_pmus(f, "--cpu-type=i386/alderlake-e", "--events=INST_RETIRED:100000,"
				   "TIMER:1000000"), 0);
	assert_true(op_perf_code(f->pmus, 0, 0)->counted);
	assert_int_equal(op_perf_code(f->pmus, 0, 0)->type, 4);
	assert_int_equal(op_perf_code(f->pmus, 1, 0)->type, 10);
	assert_int_equal(op_perf_code(f->pmus, 0, 1)->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(op_perf_code(f->pmus, 1, 1)->type, PERF_TYPE_SOFTWARE);
}

static void test_ibs_records_need_native_backend(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(init_pmus(f, "--cpu-type=x86-64/zen2", "--events=IBS_OP_ALL:100000"),
			 -EINVAL);
	assert_non_null(strstr(f->error.text, "IBS_OP_ALL"));
	assert_non_null(strstr(f->error.text, "--backend=native"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_single_pmu_has_raw_codes),
		T(test_arm_pmu_has_raw_codes),
		T(test_core_kinds_have_own_pmus),
		T(test_hybrid_started_on_efficiency_core),
		T(test_ibs_records_need_native_backend),
	};

	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
