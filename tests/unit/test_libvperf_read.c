// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_read.c -- tests the loops that read mapped pages, with simulated pages and
 * counters, and a writer that interrupts the reader at every step.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <linux/perf_event.h>

static uint64_t vperf_tsc_now(void);
static uint64_t vperf_pmc_now(uint32_t index);
#define VPERF_HAVE_PMC		1
#define VPERF_MADE_UP_COUNTERS	1
#include "libvperf/read.h"

/* A simulated machine: the values of its counters, and an action before the n-th read. */
static struct world {
	uint64_t tsc, pmc[4];
	/*
	 * .looks: number of reads of the simulated counters until now; .at: number of the read
	 * before which .writer runs, from 1, or 0 for never
	 */
	unsigned int looks, at;
	void (*writer)(struct world *w);
	struct vperfctr_state state;
	struct perf_event_mmap_page page;
} w;

static void before_access(void)
{
	w.looks++;
	if (w.at && w.looks == w.at)
		w.writer(&w);
}

static uint64_t vperf_tsc_now(void)
{
	before_access();
	return w.tsc;
}

static uint64_t vperf_pmc_now(uint32_t index)
{
	before_access();
	return w.pmc[index];
}

/*
 * Simulate that other threads run on the CPU and then this thread resumes: add all its counts to
 * the sums, and restart from new counter values.
 */
static void simulate_switch(struct world *world)
{
	struct vperfctr_cpu_state *cpu = &world->state.cpu_state;

	cpu->tsc_sum += world->tsc - cpu->tsc_start;
	for (int i = 0; i < 4; i++)
		cpu->pmc[i].sum += (world->pmc[i] - cpu->pmc[i].start) & 0xffffffff;
	world->tsc += 1000000;
	for (int i = 0; i < 4; i++)
		cpu->pmc[i].start = world->pmc[i] = 7777777u * (unsigned int)(i + 1) & 0xffffffff;
	cpu->tsc_start = world->tsc;
}

static void simulate_migration(struct world *world)
{
	simulate_switch(world);
	/* After a migration, the thread's slots use other counters. */
	for (int i = 0; i < 4; i++) {
		world->state.cpu_state.pmc[i].map = VPERFCTR_MAP_VALID | (unsigned int)(3 - i);
		world->state.cpu_state.pmc[i].start = world->pmc[3 - i];
	}
}

/*
 * Simulate a thread that ran 5000 ticks on an earlier CPU and has run 300 ticks on this CPU. Slot i
 * has counted 100 (i + 1) on the earlier CPU and 10 (i + 1) on this CPU, and one counter has
 * wrapped.
 */
static void begin(void)
{
	struct vperfctr_cpu_state *cpu = &w.state.cpu_state;

	memset(&w, 0, sizeof(w));
	w.tsc = 90300;
	cpu->tsc_start = 90000;
	cpu->tsc_sum = 5000;
	cpu->cstatus = VPERFCTR_CSTATUS_TSC_ON | VPERFCTR_CSTATUS_RUNNING;
	for (unsigned int i = 0; i < 4; i++) {
		cpu->pmc[i] = (struct vperfctr_pmc_state){
			.map = VPERFCTR_MAP_VALID | i, .width = 32, .sum = 100 * (i + 1), .start = 0xfffffff0u + 4 * i,
		};
		w.pmc[i] = (cpu->pmc[i].start + 10 * (i + 1)) & 0xffffffff;
	}
}

static void test_tsc_is_consistent_across_switches(void **state)
{
	(void)state;
	begin();
	assert_int_equal(vperf_state_tsc(&w.state), 5300);
	for (unsigned int at = 1; at <= 2; at++) {
		begin();
		w.at = at;
		w.writer = simulate_switch;
		assert_int_equal(vperf_state_tsc(&w.state), 5300);
	}
	/* While the thread is stopped, the TSC continues, but the thread's virtual TSC does not. */
	begin();
	w.state.cpu_state.cstatus &= ~VPERFCTR_CSTATUS_RUNNING;
	assert_int_equal(vperf_state_tsc(&w.state), 5000);
}

static void test_pmc_is_consistent_across_switches(void **state)
{
	static void (*const writers[])(struct world *) = { simulate_switch, simulate_migration };
	uint64_t value = 0;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int at = 0; at <= 2; at++) {
			for (size_t k = 0; k < 2; k++) {
				begin();
				w.at = at;
				w.writer = writers[k];
				assert_true(vperf_state_pmc(&w.state, i, &value));
				assert_int_equal(value, 110 * (i + 1));
			}
		}
	}
	begin();
	w.state.cpu_state.pmc[2].map = 0;
	value = 42;
	assert_false(vperf_state_pmc(&w.state, 2, &value));
	assert_int_equal(value, 42);
	/* the counter is not read, because rdpmc would raise SIGSEGV */
	assert_int_equal(w.looks, 0);
}

static void test_all_counters_are_consistent_across_switches(void **state)
{
	static void (*const writers[])(struct world *) = { simulate_switch, simulate_migration };
	uint64_t tsc, values[4];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (unsigned int at = 0; at <= 6; at++) {
			begin();
			w.at = at;
			w.writer = writers[k];
			assert_true(vperf_state_all(&w.state, 4, &tsc, values));
			assert_int_equal(tsc, 5300);
			for (unsigned int i = 0; i < 4; i++)
				assert_int_equal(values[i], 110 * (i + 1));
		}
	}
	begin();
	w.state.cpu_state.pmc[3].map = 0;
	assert_false(vperf_state_all(&w.state, 4, &tsc, values));
	assert_true(vperf_state_all(&w.state, 3, &tsc, values));
}

static void test_low_bits_are_masked(void **state)
{
	(void)state;
	assert_int_equal(vperf_low_bits(UINT64_MAX, 48), 0xffffffffffff);
	assert_int_equal(vperf_low_bits(UINT64_MAX, 64), UINT64_MAX);
	assert_int_equal(vperf_low_bits(5 - 7, 32), 0xfffffffe);
}

/*
 * Simulate perf's mmap page: a tick is 2.5 ns, and the slot's 48-bit counter started at a negative
 * value.
 */
static void begin_perf(void)
{
	memset(&w, 0, sizeof(w));
	w.tsc = 1000400;
	w.page.cap_user_time = 1;
	w.page.cap_user_rdpmc = 1;
	w.page.time_shift = 4;
	w.page.time_mult = 40;
	w.page.time_enabled = 777;
	w.page.time_offset = (uint64_t)0 - 2500000;
	w.page.index = 2;
	w.page.pmc_width = 48;
	w.page.offset = 100000;
	w.pmc[1] = ((uint64_t)1 << 48) - 300;
}

static void move_perf(struct world *world)
{
	world->page.lock += 2;
	world->page.time_enabled += 1000;	/* ns for which the event was enabled until now */
	/* subtract the time for which the thread did not run */
	world->page.time_offset -= 9000000;
	world->tsc += 3600400;
	world->page.offset = 200000;
	world->page.index = 4;
	world->pmc[3] = 55;
}

static void remove_counter(struct world *world)
{
	world->page.lock += 2;
	world->page.index = 0;
}

static void test_perf_time_is_consistent_across_switches(void **state)
{
	uint64_t value = 0;

	(void)state;
	begin_perf();
	assert_true(vperf_perf_time(&w.page, &value));
	assert_int_equal(value, 777 + 1000);
	begin_perf();
	w.at = 1;
	w.writer = move_perf;
	assert_true(vperf_perf_time(&w.page, &value));
	assert_int_equal(value, 777 + 1000 + 1000 + 1000);
	/* A 56-bit counter that has wrapped after time_cycles was recorded is read correctly. */
	begin_perf();
	w.page.cap_user_time_short = 1;
	w.page.time_mask = ((uint64_t)1 << 56) - 1;
	w.page.time_cycles = ((uint64_t)1 << 56) - 100;
	w.tsc = 300;
	w.page.time_offset = (uint64_t)0 - (w.page.time_cycles >> 4) * 40 - (w.page.time_cycles & 15) * 40 / 16;
	assert_true(vperf_perf_time(&w.page, &value));
	assert_in_range(value, 777 + 999, 777 + 1001);
	begin_perf();
	w.page.cap_user_time = 0;
	assert_false(vperf_perf_time(&w.page, &value));
}

static void test_perf_count_is_consistent_across_switches(void **state)
{
	uint64_t value = 0;

	(void)state;
	begin_perf();
	assert_true(vperf_perf_count(&w.page, &value));
	assert_int_equal(value, 100000 - 300);
	begin_perf();
	w.at = 1;
	w.writer = move_perf;
	assert_true(vperf_perf_count(&w.page, &value));
	assert_int_equal(value, 200055);
	begin_perf();
	w.at = 1;
	w.writer = remove_counter;
	assert_false(vperf_perf_count(&w.page, &value));
	begin_perf();
	w.page.cap_user_rdpmc = 0;
	assert_false(vperf_perf_count(&w.page, &value));
	begin_perf();
	w.page.index = 0;
	w.looks = 0;
	assert_false(vperf_perf_count(&w.page, &value));
	assert_int_equal(w.looks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tsc_is_consistent_across_switches),
		cmocka_unit_test(test_pmc_is_consistent_across_switches),
		cmocka_unit_test(test_all_counters_are_consistent_across_switches),
		cmocka_unit_test(test_low_bits_are_masked),
		cmocka_unit_test(test_perf_time_is_consistent_across_switches),
		cmocka_unit_test(test_perf_count_is_consistent_across_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
