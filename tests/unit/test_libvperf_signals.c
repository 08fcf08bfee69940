// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_signals.c -- tests signal handlers of overflows that interrupt the start, stop and
 * close of counters. Skipped if perf_events cannot be used.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "libop/base/clock.h"
#include "libvperf/vperf.h"

static struct {
	struct vperf *v;
	volatile unsigned int signals;
} handled;

static void on_any_time(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	handled.signals++;
	if (vperf_overflow(handled.v, info))
		vperf_resume(handled.v);
}

/*
 * If the handler of an overflow interrupts any call of libvperf, no slot stays allocated, and no
 * stopped slot continues to count.
 */
static void test_overflow_any_time(void **state)
{
	struct sigaction action = { .sa_sigaction = on_any_time, .sa_flags = SA_SIGINFO };

	(void)state;
	sigemptyset(&action.sa_mask);
	assert_return_code(sigaction(SIGRTMIN + 3, &action, NULL), errno);
	for (int i = 0; i < 300; i++) {
		uint64_t first = 0, second = 0, begin;
		struct vperf *v = NULL;

		handled.signals = 0;
		assert_int_equal(vperf_open(&handled.v, VPERF_PERF | VPERF_CHILDREN), 0);
		v = handled.v;
		assert_int_equal(vperf_add(v, "task-clock:u"), 0);
		assert_int_equal(vperf_on_overflow(v, 0, 10000, SIGRTMIN + 3), 0);
		assert_int_equal(vperf_start(v), 0);
		begin = op_now_ns();
		while (handled.signals < 10 && op_now_ns() - begin < 20000000000u)
			;
		assert_true(handled.signals >= 10);
		if (i & 1) {
			assert_int_equal(vperf_stop(v), 0);
			vperf_read_one(v, 0, &first);
			for (begin = op_now_ns(); op_now_ns() - begin < 50000; )
				;
			vperf_read_one(v, 0, &second);
			assert_int_equal(first, second);
		}
		vperf_close(v);
	}
}

static void test_reserved_signals_are_refused(void **state)
{
	struct vperf *v = NULL;

	(void)state;
	assert_int_equal(vperf_open(&v, VPERF_PERF), 0);
	assert_int_equal(vperf_add(v, "page-faults:u"), 0);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGRTMIN - 1), -EINVAL);
	assert_int_equal(vperf_on_overflow(v, 0, 100, SIGRTMIN), 0);
	vperf_close(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overflow_any_time),
		cmocka_unit_test(test_reserved_signals_are_refused),
	};
	struct vperf *v = NULL;
	int err = vperf_open(&v, VPERF_PERF);

	if (!err && vperf_add(v, "task-clock:u") < 0)
		err = -1;
	if (err)
		printf("perf_events cannot be used: %s\n", vperf_error(v));
	vperf_close(v);
	return err ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
