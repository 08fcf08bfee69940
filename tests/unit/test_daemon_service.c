// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_service.c -- tests the status text that the daemon sends to the service manager, and
 * the messages to its watchdog.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <time.h>

#include "daemon/base/notify.h"
#include "daemon/base/watchdog.h"
#include "daemon/service.h"

/* Number of watchdog messages that the simulated service manager received. */
static unsigned int nr_alive;
static uint64_t timeout_ms;

void opd_notify(const char *state)
{
	nr_alive += !strcmp(state, "WATCHDOG=1");
}

bool opd_notify_is_heard(void)
{
	return true;
}

uint64_t opd_notify_watchdog_ms(void)
{
	return timeout_ms;
}

static void check_text(const struct opd_service_facts *facts, const char *want)
{
	char text[200];

	opd_service_text(text, sizeof(text), facts);
	assert_string_equal(text, want);
}

static void test_status_text(void **state)
{
	struct opd_service_facts f = { .is_running = true, .rate = "1 kHz", .source = "module" };
	char want[200], date[40];
	struct tm tm;
	time_t t;

	(void)state;
	check_text(&f, "sampling 1 kHz by the module; 0 samples, lost none");
	f.source = "perf";
	f.taken = 8412331;
	f.lost = 1000;
	check_text(&f, "sampling 1 kHz by perf_events; 8,412,331 samples, lost 1,000");
	f.is_running = false;
	f.taken = 999;
	f.lost = 0;
	f.bytes = 14 << 20;
	check_text(&f, "paused; 999 samples, lost none; 14 MB");
	t = time(NULL) - 40 * 24 * 3600;
	localtime_r(&t, &tm);
	strftime(date, sizeof(date), "%b %e", &tm);
	f.since = t;
	snprintf(want, sizeof(want), "paused; 999 samples, lost none; 14 MB, back to %s", date);
	check_text(&f, want);
	/* The system clock has started in 1970. */
	f.since = 24 * 3600;
	check_text(&f, "paused; 999 samples, lost none; 14 MB, back to Jan  2, 1970");
}

/*
 * A daemon that works sends the watchdog message once a second, however often its parts report. The
 * main loop wakes after half of the timeout.
 */
static void test_watchdog_is_notified_each_second(void **state)
{
	struct opd_watchdog w;
	uint64_t now;

	(void)state;
	opd_watchdog_init(&w);
	opd_watchdog_alive(&w);
	assert_int_equal(nr_alive, 0);
	timeout_ms = 1ull << 40;
	opd_watchdog_init(&w);
	now = op_now_ms();
	opd_watchdog_alive(&w);
	assert_int_equal(nr_alive, 1);
	assert_true(w.due >= now + timeout_ms / 2);
	assert_in_range(w.next, now + OPD_WATCHDOG_MIN_MS, op_now_ms() + OPD_WATCHDOG_MIN_MS);
	w.next = UINT64_MAX;
	opd_watchdog_alive(&w);
	assert_int_equal(nr_alive, 1);
	w.next = op_now_ms();
	opd_watchdog_alive(&w);
	assert_int_equal(nr_alive, 2);
	/* With a timeout below two seconds, two messages are sent per timeout. */
	timeout_ms = 1000;
	opd_watchdog_init(&w);
	opd_watchdog_alive(&w);
	assert_int_equal(w.next, w.due);
}

static void test_status_text_is_truncated(void **state)
{
	const struct opd_service_facts f = { .is_running = true, .rate = "1 kHz", .source = "perf" };
	char text[12];

	(void)state;
	opd_service_text(text, sizeof(text), &f);
	assert_memory_equal(text, "sampling 1 ", 11);
	assert_int_equal(text[11], '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_text),
		cmocka_unit_test(test_status_text_is_truncated),
		cmocka_unit_test(test_watchdog_is_notified_each_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
