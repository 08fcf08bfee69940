// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_ocount_set.c -- tests ocount on machines with two kinds of cores: which events are
 * opened, and the sum of their counts.
 *
 * Two software events represent the events of the two PMUs, and pipes represent the events'
 * descriptors.
 */
#include "config.h"
#include "utils/ocount/set.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/check.h"

#define PAGES	1000

static struct op_perf_code software(uint64_t config)
{
	return (struct op_perf_code){ .counted = true, .type = PERF_TYPE_SOFTWARE, .config = config };
}

static void touch_pages(void)
{
	long size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, PAGES * size, MADV_NOHUGEPAGE);
	for (long i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * size] = 1;
	munmap(pages, PAGES * size);
}

/* Count @event while PAGES new pages are touched, and return the count. */
static uint64_t faults(struct count_event *event)
{
	struct count_events events = { .list = event, .nr = 1, .kinds = { .nr = 2 } };
	struct op_reason error = { "" };
	struct count_value value;
	struct count_set set;
	pid_t self = getpid();
	int err = count_set_open_tasks(&set, &events, &self, 1, 1, COUNT_ALONE, &error);

	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		skip();
	if (err)
		fail_msg("%s", error.text);
	assert_int_equal(count_set_start(&set), 0);
	touch_pages();
	assert_int_equal(count_set_read(&set, &value), 0);
	count_set_close(&set);
	return value.count;
}

/*
 * An event with a different code for each kind of core is opened once for each code, even if the
 * codes differ only in perf_event_attr.config.
 */
static void test_event_is_opened_for_each_code(void **state)
{
	struct count_event event = { .name = (char *)"x", .user = true };

	(void)state;
	event.codes[0] = software(PERF_COUNT_SW_PAGE_FAULTS);
	event.codes[1] = software(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	assert_true(faults(&event) >= 2 * PAGES);
	event.codes[1] = event.codes[0];
	assert_in_range(faults(&event), PAGES, 2 * PAGES - 1);
	event.codes[0].counted = false;
	assert_in_range(faults(&event), PAGES, 2 * PAGES - 1);
}

static int pipe_of_value(const struct count_value *value)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], value, sizeof(*value)), sizeof(*value));
	close(fds[1]);
	return fds[0];
}

/*
 * The counts of both kinds of cores are summed: a thread that ran for 3 of 10 ms on one kind and
 * for 7 ms on the other was counted all the time.
 */
static void test_counts_of_core_kinds_are_summed(void **state)
{
	static const struct count_value of_kind[OP_PERF_MAX_PMUS] = {
		{ .count = 300, .enabled = 10000000, .running = 3000000 },
		{ .count = 1400, .enabled = 10000000, .running = 7000000 },
	};
	struct count_event event = { .name = (char *)"x" };
	struct count_events events = { .list = &event, .nr = 1, .kinds = { .nr = OP_PERF_MAX_PMUS } };
	struct count_value value;
	struct count_set set;

	(void)state;
	assert_int_equal(count_set_open_empty(&set, &events), 0);
	for (size_t k = 0; k < OP_PERF_MAX_PMUS; k++)
		set.fds[k] = pipe_of_value(&of_kind[k]);
	assert_int_equal(count_set_read(&set, &value), 0);
	count_set_close(&set);
	assert_int_equal(value.count, 1700);
	assert_int_equal(value.enabled, 10000000);
	assert_int_equal(value.running, 10000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_is_opened_for_each_code),
		cmocka_unit_test(test_counts_of_core_kinds_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
