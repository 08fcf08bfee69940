// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_jobs.c -- tests parallel jobs: each piece of the work is done once, results are processed
 * in the order of the pieces, and the error of the first failed piece is returned.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdatomic.h>

#include "pp/profile/jobs.h"

#define NR 500

struct fixture {
	atomic_int done[NR];
	/* number of results that were processed, which is the index of the next result */
	size_t taken;
	int fails_at, take_fails_at;
};

static int work(void *arg, size_t i)
{
	struct fixture *f = arg;

	atomic_fetch_add(&f->done[i], 1);
	/* Later pieces take less time, so they often finish first. */
	for (volatile size_t n = (NR - i) * 20; n; n--)
		;
	return (int)i == f->fails_at ? -EIO : 0;
}

static int take_result(void *arg, size_t i)
{
	struct fixture *f = arg;

	assert_int_equal(i, f->taken);
	assert_int_equal(atomic_load(&f->done[i]), 1);
	f->taken++;
	return (int)i == f->take_fails_at ? -ENOSPC : 0;
}

static const struct pp_jobs_ops ops = { work, take_result };

static struct fixture fixture(int fails_at, int take_fails_at)
{
	return (struct fixture){ .fails_at = fails_at, .take_fails_at = take_fails_at };
}

static void jobs_are_done_once_and_returned_in_order(void **state)
{
	static const unsigned int threads[] = { 0, 1, 2, 7, 1000 };

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		struct fixture f = fixture(-1, -1);

		assert_int_equal(pp_jobs_run(NR, threads[t], &ops, &f), 0);
		assert_int_equal(f.taken, NR);
		for (size_t i = 0; i < NR; i++)
			assert_int_equal(f.done[i], 1);
	}
}

static void zero_jobs_return_success(void **state)
{
	struct fixture f = fixture(-1, -1);

	(void)state;
	assert_int_equal(pp_jobs_run(0, 4, &ops, &f), 0);
	assert_int_equal(f.taken, 0);
}

static void error_stops_all_jobs(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads < 5; threads++) {
		struct fixture f = fixture(40, -1);

		assert_int_equal(pp_jobs_run(NR, threads, &ops, &f), -EIO);
		assert_int_equal(f.taken, 40);
		f = fixture(-1, 40);
		assert_int_equal(pp_jobs_run(NR, threads, &ops, &f), -ENOSPC);
		assert_int_equal(f.taken, 41);
		/* If two pieces fail, the error of the first piece in order is returned. */
		f = fixture(40, 20);
		assert_int_equal(pp_jobs_run(NR, threads, &ops, &f), -ENOSPC);
		assert_int_equal(f.taken, 21);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_done_once_and_returned_in_order),
		cmocka_unit_test(zero_jobs_return_success),
		cmocka_unit_test(error_stops_all_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
