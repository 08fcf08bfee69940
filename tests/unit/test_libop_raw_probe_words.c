// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_probe_words.c -- tests the parser of $OPPROBE: events with periods, and a
 * directory.
 */
#include "config.h"
#include "libop/raw/probe_words.h"

#include <errno.h>

#include "libop/event/any_cpu.h"
#include "tests/unit/check.h"

static void test_probe_words_are_parsed(void **state)
{
	struct raw_probe_words w = { .nr_events = 0 };
	size_t wrong;

	(void)state;
	assert_int_equal(raw_probe_words_parse(&w, "", &wrong), 0);
	assert_int_equal(w.nr_events, 1);
	assert_string_equal(w.events[0].kind->name, "TIMER");
	assert_int_equal(w.events[0].period, 1000000);
	assert_null(w.dir);
	assert_int_equal(w.driver, RAW_PROBE_AUTO);
	w.nr_events = 0;
	assert_int_equal(raw_probe_words_parse(&w, "event=malloc,rate=4000,driver=cputime,output=/a,event=TIMER", &wrong), 0);
	assert_int_equal(w.nr_events, 2);
	assert_string_equal(w.events[0].kind->name, "malloc");
	assert_string_equal(w.events[1].kind->name, "TIMER");
	assert_int_equal(w.events[1].period, 250000);
	assert_int_equal(w.driver, RAW_PROBE_CPUTIME);
	assert_string_equal(w.dir, "/a,event=TIMER");
	assert_int_equal(w.nr_unsafe, 0);
	assert_int_equal(raw_probe_words_parse(&w, "unsafe=f,unsafe=/lib/a b.so,output=/a", &wrong), 0);
	assert_int_equal(w.nr_unsafe, 2);
	assert_string_equal(w.unsafe[0], "f");
	assert_string_equal(w.unsafe[1], "/lib/a b.so");
	w.nr_events = 0;
	assert_int_equal(raw_probe_words_parse(&w, "counter=4.1ffffffffff.2a:70000:LLC:0x41,event=page-faults", &wrong), 0);
	assert_int_equal(w.nr_events, 2);
	assert_ptr_equal(w.events[0].kind, &raw_probe_counter);
	assert_string_equal(w.events[0].name, "LLC:0x41");
	assert_int_equal(w.events[0].period, 70000);
	assert_int_equal(w.events[0].perf.type, 4);
	assert_int_equal(w.events[0].perf.config, 0x1ffffffffff);
	assert_int_equal(w.events[0].perf.config1, 0x2a);
	assert_string_equal(w.events[1].name, "page-faults");
	struct raw_probe_perf parts[2];
	assert_int_equal(raw_probe_perf_parts(&w.events[1].perf, parts), 2);
	assert_true(parts[0].config == 5 && parts[1].config == 6 && parts[1].type == 1);
	assert_int_equal(raw_probe_perf_parts(&w.events[0].perf, parts), 1);
	assert_true(parts[0].config == w.events[0].perf.config);
	assert_int_equal(w.events[1].perf.config, 2);
	w.nr_events = 0;
	assert_int_equal(raw_probe_words_parse(&w, "event=vperf:page-faults:u,event=vperf:r1c2:70,event=vperf:task-clock:u:5", &wrong), 0);
	assert_int_equal(w.nr_events, 3);
	assert_string_equal(w.events[0].name, "vperf:page-faults");
	assert_string_equal(raw_probe_vperf_name(&w.events[0]), "page-faults");
	assert_int_equal(w.events[0].period, 1);
	assert_int_equal(w.events[0].kind->by, RAW_PROBE_BY_VPERF);
	assert_string_equal(raw_probe_vperf_name(&w.events[1]), "r1c2");
	assert_int_equal(w.events[1].period, 70);
	assert_string_equal(raw_probe_vperf_name(&w.events[2]), "task-clock");
	assert_int_equal(w.events[2].period, 5);
}

static void test_wrong_words_are_located(void **state)
{
	static const struct { const char *text; size_t at; } bad[] = {
		{ "x", 0 }, { "output=", 0 }, { "event=", 0 }, { "event=TIME", 0 }, { "event=TIMERS", 0 }, { "event=:5", 0 },
		{ "event=malloc,event=malloc", 13 }, { "event=malloc,rate=0", 13 }, { "rate=100001", 0 }, { "rate=5x", 0 },
		{ "event=TIMER:9999", 0 }, { "event=TIMER:1000000001", 0 }, { "event=TIMER:99999999999999999999", 0 },
		{ "rate=10,rate=20", 8 }, { "event=malloc,,output=x", 13 },
		{ "counter=4.c0.0:100", 0 }, { "counter=4.c0.0:100:", 0 }, { "counter=4.c0:100:a", 0 }, { "counter=4.c0.0:0:a", 0 },
		{ "counter=100000000.c0.0:5:a", 0 }, { "counter=4.c0.0:x:a", 0 }, { "counter=4.c0.0:5:a,counter=4.c1.0:5:a", 19 },
		{ "counter=4.c0.0:5:01234567890123456789012345678901", 0 },
		{ "event=vperf", 0 }, { "event=vperf:", 0 }, { "event=vperf::5", 0 }, { "event=vperf:a:k", 0 },
		{ "event=vperf:a:0", 0 }, { "event=vperf:a:u,event=vperf:a:7", 16 }, { "event=vperf:01234567890123456789012345", 0 },
		{ "driver=per", 0 }, { "rate=10,driver=perfs", 8 }, { "driver=", 0 },
		{ "unsafe=", 0 }, { "unsafe-met=", 0 }, { "unsafe-met=a/b", 0 }, { "unsafe-met=..", 0 }, { "unsafe=a,unsafe=,", 9 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct raw_probe_words w = { .nr_events = 0 };
		size_t wrong = 42;

		assert_int_equal(raw_probe_words_parse(&w, bad[i].text, &wrong), -EINVAL);
		assert_int_equal(wrong, bad[i].at);
	}
}

static void test_event_numbers_equal_perf(void **state)
{
	const struct raw_probe_kind *kind;
	const struct op_perf_name *name;
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; (kind = raw_probe_kind(i)); i++) {
		if (kind->by != RAW_PROBE_BY_PERF)
			continue;
		name = op_perf_name_find(kind->name);
		assert_non_null(name);
		assert_int_equal(kind->perf.type, name->type);
		assert_int_equal(kind->perf.config, name->config);
		assert_false(name->in_kernel);
		nr++;
	}
	assert_true(nr > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probe_words_are_parsed),
		cmocka_unit_test(test_wrong_words_are_located),
		cmocka_unit_test(test_event_numbers_equal_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
