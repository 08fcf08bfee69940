// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_ring_size.c -- tests the size of perf rings: a ring has room for the samples of
 * half a second, within the limits of memory. */
#include "config.h"
#include "tests/unit/check.h"

#include <unistd.h>

#include "daemon/source/perf_ring_size.h"
#include "libop/event/spec.h"

#define KB	1024ull
#define MB	(1024 * KB)

static size_t wanted_size(uint64_t rate, unsigned int stack)
{
	return opd_perf_rings_size(rate, opd_perf_sample_bytes(stack)).samples;
}

static void ring_holds_half_a_second(void **state)
{
	(void)state;
	assert_int_equal(wanted_size(1000, 0), 512 * KB);
	assert_int_equal(wanted_size(100, 16384), 1 * MB);
	assert_int_equal(wanted_size(1000, 16384), 8 * MB);
	assert_int_equal(wanted_size(4000, 16384), 32 * MB);
	assert_int_equal(wanted_size(1000, 64512), 32 * MB);
	assert_int_equal(wanted_size(4000, 64512), 128 * MB);
	assert_int_equal(wanted_size(20000, 64512), 128 * MB);
	assert_int_equal(wanted_size(UINT64_MAX, 64512), 128 * MB);
	for (uint64_t rate = 10; rate <= 20000; rate += 7) {
		size_t ring = wanted_size(rate, 16384);
		double seconds = (double)ring / (double)(rate * opd_perf_sample_bytes(16384));

		assert_int_equal(ring & (ring - 1), 0);
		assert_true(seconds > 0.33 || ring == 128 * MB);
		assert_true(seconds < 0.76 || ring == 512 * KB);
	}
}

static void rates_of_events_add_up(void **state)
{
	const struct op_event_spec events[] = {
		{ .name = "TIMER", .count = 1000000 }, { .name = "TIMER", .count = 50000 },
		{ .name = "CYCLES", .count = 1000000 }, { .name = "page-faults", .count = 1 },
	};

	(void)state;
	assert_int_equal(opd_perf_sample_rate(events, 1), 1000);
	assert_int_equal(opd_perf_sample_rate(events, 2), 21000);
	assert_int_equal(opd_perf_sample_rate(events, 3), 22000);
	/* If the rate of an event is unknown, a default rate is used. */
	assert_int_equal(opd_perf_sample_rate(events, 4), 26000);
	assert_int_equal(opd_perf_sample_rate(NULL, 0), 0);
}

static void expect_fit(struct opd_perf_ring_limits limits, uint64_t samples, uint64_t notices)
{
	struct opd_perf_ring_sizes sizes = opd_perf_rings_size(1000, opd_perf_sample_bytes(16384));

	opd_perf_rings_fit(&sizes, &limits);
	assert_int_equal(sizes.samples, samples);
	assert_int_equal(sizes.notices, notices);
}

static void limits_reduce_ring_size(void **state)
{
	const uint64_t pages = 2 * (uint64_t)sysconf(_SC_PAGESIZE), all = 9 * MB + pages;

	(void)state;
	expect_fit((struct opd_perf_ring_limits){ UINT64_MAX, UINT64_MAX, 1024, false }, 8 * MB, 4 * MB);
	/* Rings of notices get an eighth of the memory of all rings. */
	expect_fit((struct opd_perf_ring_limits){ 4 * 8 * 4 * MB, UINT64_MAX, 4, false }, 8 * MB, 4 * MB);
	expect_fit((struct opd_perf_ring_limits){ 4 * 8 * 4 * MB - 1, UINT64_MAX, 4, false }, 8 * MB, 2 * MB);
	/* Test the limit of the machine's memory and the limit of locked memory, each for the rings of all CPUs. */
	expect_fit((struct opd_perf_ring_limits){ all, UINT64_MAX, 1, false }, 8 * MB, 1 * MB);
	expect_fit((struct opd_perf_ring_limits){ UINT64_MAX, all, 1, true }, 8 * MB, 128 * KB);
	expect_fit((struct opd_perf_ring_limits){ all - 1, UINT64_MAX, 1, false }, 4 * MB, 1 * MB);
	expect_fit((struct opd_perf_ring_limits){ 4 * all - 1, UINT64_MAX, 4, false }, 4 * MB, 1 * MB);
	expect_fit((struct opd_perf_ring_limits){ UINT64_MAX, 8 * MB, 1, true }, 4 * MB, 128 * KB);
	expect_fit((struct opd_perf_ring_limits){ 450 * KB, UINT64_MAX, 1, false }, 256 * KB, 128 * KB);
	/*
	 * Check a user with the kernel's default limits, and a user with the higher RLIMIT_MEMLOCK
	 * of new distributions.
	 */
	expect_fit((struct opd_perf_ring_limits){ UINT64_MAX, 516 * KB, 1, true }, 256 * KB, 128 * KB);
	expect_fit((struct opd_perf_ring_limits){ UINT64_MAX, 2 * 516 * KB + 8 * MB, 2, true }, 4 * MB, 128 * KB);
	/* Rings have a minimum size, even if the kernel then refuses to create them. */
	expect_fit((struct opd_perf_ring_limits){ 0, 0, 1, true }, 64 * KB, 64 * KB);
}

/* Copies of stacks are as large as a ring with the samples of half a second allows. */
static void stack_copy_size_fits_ring(void **state)
{
	const struct opd_perf_ring_limits none = { UINT64_MAX, UINT64_MAX, 8, false };
	const uint64_t rest = 4 * MB + 2 * (uint64_t)sysconf(_SC_PAGESIZE);
	struct opd_perf_ring_limits limits = none;

	(void)state;
	assert_int_equal(opd_perf_stack_copy(1000, &none), 63 * KB);
	assert_int_equal(opd_perf_stack_copy(4000, &none), 63 * KB);
	/* Even the largest ring has room for the samples of less than half a second. */
	assert_int_equal(opd_perf_stack_copy(5000, &none), 32 * KB);
	assert_int_equal(opd_perf_stack_copy(20000, &none), 16 * KB);
	assert_int_equal(opd_perf_stack_copy(UINT64_MAX, &none), 16 * KB);
	limits.memory = 8 * (32 * MB + rest);
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 63 * KB);
	limits.memory--;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 32 * KB);
	limits.memory = 8 * 16 * MB;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 16 * KB);
}

/* Return the size of stack copies for a user with the default RLIMIT_MEMLOCK, on @nr CPUs. */
static unsigned int stack_copy_of_user(uint64_t rate, size_t nr)
{
	const struct opd_perf_ring_limits limits = { UINT64_MAX, nr * 516 * KB + 8 * MB, nr, true };

	return opd_perf_stack_copy(rate, &limits);
}

/*
 * The rings of unprivileged users are too small for half a second, so their copies of stacks are
 * smaller.
 */
static void small_rings_of_users_reduce_stack_copies(void **state)
{
	struct opd_perf_ring_limits limits = { UINT64_MAX, UINT64_MAX - 1, 2, true };

	(void)state;
	assert_int_equal(stack_copy_of_user(1000, 2), 63 * KB);
	assert_int_equal(stack_copy_of_user(1000, 8), 63 * KB);
	assert_int_equal(stack_copy_of_user(1000, 16), 32 * KB);
	assert_int_equal(stack_copy_of_user(1000, 128), 16 * KB);
	assert_int_equal(stack_copy_of_user(4000, 2), 63 * KB);
	assert_int_equal(stack_copy_of_user(4000, 4), 32 * KB);
	assert_int_equal(stack_copy_of_user(4000, 8), 16 * KB);
	assert_int_equal(stack_copy_of_user(UINT64_MAX, 2), 16 * KB);
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 63 * KB);
	limits.memory = 8 * MB;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 63 * KB);
	limits.memory = 1 * MB;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 16 * KB);
	/* the limit of locked memory applies to each CPU separately */
	limits = (struct opd_perf_ring_limits){ UINT64_MAX, 2 * 516 * KB, 2, true };
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 16 * KB);
}

/* The service is a user with limits, too, and samples the machine: the quota of its CPU time may stop it for a tenth of a
 * second. */
static void rings_of_the_service_hold_half_a_second(void **state)
{
	/* 1 GB of memory, and LimitMEMLOCK=128M */
	struct opd_perf_ring_limits limits = { 32 * MB, 128 * MB, 2, false };
	struct opd_perf_ring_sizes sizes;

	(void)state;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 16 * KB);
	sizes = opd_perf_rings_size(1000, opd_perf_sample_bytes(16 * KB));
	opd_perf_rings_fit(&sizes, &limits);
	assert_int_equal(sizes.samples, 8 * MB);
	assert_int_equal(sizes.notices, 2 * MB);
	/* a third of the service's limit MemoryMax=256M, on a machine with more memory */
	limits.memory = 85 * MB;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 63 * KB);
	limits.nr_cpus = 4;
	assert_int_equal(opd_perf_stack_copy(1000, &limits), 32 * KB);
}

static void limits_of_this_machine_are_read(void **state)
{
	const struct opd_perf_ring_limits limits = opd_perf_ring_limits(3);

	(void)state;
	assert_int_equal(limits.nr_cpus, 3);
	assert_true(limits.memory > 0);
	assert_true(limits.locked > 0);
}

static void held_samples_get_share_of_free_memory(void **state)
{
	(void)state;
	assert_int_equal(opd_perf_delay_limit(0), 24 * MB);
	assert_int_equal(opd_perf_delay_limit(1024ull * MB), 64 * MB);
	assert_int_equal(opd_perf_delay_limit(4096ull * MB), 256 * MB);
	assert_int_equal(opd_perf_delay_limit(UINT64_MAX), 512 * MB);
	assert_true(opd_perf_available_bytes("/proc/meminfo") > 0);
	assert_int_equal(opd_perf_available_bytes("/proc/self/stat"), 0);
	assert_int_equal(opd_perf_available_bytes("/nonexistent/meminfo"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_holds_half_a_second),
		cmocka_unit_test(rates_of_events_add_up),
		cmocka_unit_test(limits_reduce_ring_size),
		cmocka_unit_test(stack_copy_size_fits_ring),
		cmocka_unit_test(small_rings_of_users_reduce_stack_copies),
		cmocka_unit_test(rings_of_the_service_hold_half_a_second),
		cmocka_unit_test(limits_of_this_machine_are_read),
		cmocka_unit_test(held_samples_get_share_of_free_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
