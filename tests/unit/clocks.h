/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clocks.h -- comparison of clocks in tests.
 */
#ifndef TESTS_UNIT_CLOCKS_H
#define TESTS_UNIT_CLOCKS_H

#include "tests/unit/check.h"

#include <time.h>

static inline uint64_t ns_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Return the time that a hypervisor has stolen from all CPUs since boot, in ns, with a resolution
 * of 10 ms. During stolen time perf's clock advances, but a thread's CPU clock does not.
 */
static inline uint64_t stolen_ns(void)
{
	unsigned long long stolen = 0;
	FILE *f = fopen("/proc/stat", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen), 1);
	fclose(f);
	return stolen * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

#endif
