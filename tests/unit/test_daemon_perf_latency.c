// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_latency.c -- tests that one of n samples counts while n CPUs run the program. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/base/configuration.h"
#include "daemon/source/perf_latency.h"

#define SAMPLES	20000

static struct op_event_spec events[] = { { .name = (char *)"TIMER" },
					 { .name = (char *)"OFFCPU" },
					 { .name = (char *)"LATENCY" } };

static struct opd_perf_latency *create(size_t nr)
{
	static struct opd_perf_latency l;
	const struct opd_config cfg = { .events = events, .nr_events = nr };

	opd_perf_latency_init(&l, &cfg);
	return &l;
}

static void switch_to(struct opd_perf_latency *l, int cpu, int32_t pid, bool out)
{
	const struct opd_perf_record r = { .kind = OPD_PERF_SWITCH, .pid = pid, .tid = pid,
					   .change = { .out = out } };

	opd_perf_latency_apply(l, cpu, &r);
}

static int count(struct opd_perf_latency *l, int cpu, int32_t pid)
{
	int nr = 0;

	for (int i = 0; i < SAMPLES; i++)
		nr += opd_perf_latency_counts(l, cpu, 0, pid);
	return nr;
}

static void test_alone(void **state)
{
	struct opd_perf_latency *l = create(3);

	(void)state;
	assert_int_equal(l->event, 2);
	assert_int_equal(count(l, 0, 5), SAMPLES);
	switch_to(l, 1, 6, false);
	assert_int_equal(count(l, 0, 5), SAMPLES);
	assert_int_equal(count(l, 1, 6), SAMPLES);
	/* a process that has ended, and other events */
	assert_true(opd_perf_latency_counts(l, 0, 0, -1));
	assert_false(opd_perf_latency_counts(l, 0, 1, 5));
}

static void test_together(void **state)
{
	struct opd_perf_latency *l = create(3);

	(void)state;
	switch_to(l, 3, 5, false);
	switch_to(l, 7, 5, false);
	/* five standard deviations */
	assert_in_range(count(l, 0, 5), SAMPLES / 3 - 350, SAMPLES / 3 + 350);
	switch_to(l, 3, 5, true);
	assert_in_range(count(l, 0, 5), SAMPLES / 2 - 350, SAMPLES / 2 + 350);
	switch_to(l, 7, 8, false);
	assert_int_equal(count(l, 0, 5), SAMPLES);
	switch_to(l, 7, 5, false);
	opd_perf_latency_forget(l);
	assert_int_equal(count(l, 0, 5), SAMPLES);
}

static void test_not_asked(void **state)
{
	struct opd_perf_latency *l = create(2);

	(void)state;
	switch_to(l, 1, 5, false);
	assert_int_equal(count(l, 0, 5), 0);
	/* numbers of CPUs that cannot be */
	switch_to(create(3), OP_MAX_CPUS, 5, false);
	switch_to(create(3), -1, 5, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
