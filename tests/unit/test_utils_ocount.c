// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_ocount.c -- tests ocount's command line, the look-up of events, and the format of
 * printed counts.
 */
#include "config.h"
#include "utils/ocount/options.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "libop/event/any_cpu.h"
#include "tests/unit/check.h"
#include "utils/ocount/events.h"
#include "utils/ocount/output.h"

#define MAX_ARGS 12

/* Parse the words of @line, which are separated by blanks, as ocount's arguments. */
static enum ctl_parse parse(struct count_options *o, const char *line, struct op_reason *error)
{
	static char text[500];
	static char *argv[MAX_ARGS];
	int argc = 0;

	snprintf(text, sizeof(text), "ocount %s", line);
	for (char *word = strtok(text, " "); word && argc < MAX_ARGS - 1; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	*o = (struct count_options){ 0 };
	*error = (struct op_reason){ "" };
	return count_options_parse(o, argc, argv, stdout, error);
}

static void test_options_are_parsed(void **state)
{
	struct count_options o;
	struct op_reason error;

	(void)state;
	assert_int_equal(parse(&o, "-e page-faults,cs -e task-clock:u make -j2 -e x", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_COMMAND);
	assert_int_equal(o.nr_events, 3);
	assert_string_equal(o.events[2], "task-clock:u");
	assert_string_equal(o.command[0], "make");
	assert_string_equal(o.command[3], "x");
	count_options_release(&o);

	assert_int_equal(parse(&o, "--process-list=17,42 -t --time-interval 250:4 -b", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_PROCESSES);
	assert_int_equal(o.nr_ids, 2);
	assert_int_equal(o.ids[1], 42);
	assert_true(o.separate);
	assert_int_equal(o.interval_ms, 250);
	assert_int_equal(o.nr_intervals, 4);
	assert_int_equal(o.format, COUNT_BRIEF);
	count_options_release(&o);

	/* Without a command, -r is --thread-list; with a command, -r is --repeat. */
	assert_int_equal(parse(&o, "-r 17 -t", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_THREADS);
	assert_int_equal(o.ids[0], 17);
	count_options_release(&o);
	assert_int_equal(parse(&o, "-r 5 -e cs make -r 7 --thread-list", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_COMMAND);
	assert_int_equal(o.nr_runs, 5);
	assert_int_equal(o.nr_ids, 0);
	assert_string_equal(o.command[0], "make");
	count_options_release(&o);

	assert_int_equal(parse(&o, "-C 0-3 -c --format=json -f out", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_CPUS);
	assert_string_equal(o.cpus, "0-3");
	assert_string_equal(o.output, "out");
	assert_int_equal(o.format, COUNT_JSON);
	count_options_release(&o);

	assert_int_equal(parse(&o, "-s -s -- ", &error), CTL_RUN);
	assert_int_equal(o.what, COUNT_SYSTEM);
	count_options_release(&o);
}

static void test_invalid_options_are_reported(void **state)
{
	static const struct { const char *line, *says; } wrong[] = {
		{ "", "nothing to count" }, { "-e cs", "nothing to count" },
		{ "-s true", "exclude each other" }, { "-p 1 -r 2", "exclude each other" },
		{ "-r 5,6 true", "exclude each other" }, { "--thread-list=5 true", "exclude each other" },
		{ "-r 5 --repeat=2 true", "exclude each other" }, { "-r 2 -i 5 true", "cannot be combined" },
		{ "-p 1 -r 2 -p 3", "exclude each other" }, { "-C 0 -s", "exclude each other" },
		{ "-p 0", "\"0\" is not a process number" }, { "-r 1,x", "\"x\" is not a thread number" },
		{ "-t -s", "\"--separate-thread\" needs" }, { "-c -p 1", "\"--separate-cpu\" needs" },
		{ "-t true", "\"--separate-thread\" needs" },
		{ "-i 0 true", "\"0\" is not MS" }, { "-i 5:0 true", "\"5:0\" is not MS" }, { "-i 5: true", "is not MS" },
		{ "-i 1s true", "is not MS" }, { "-i -5 true", "is not MS" },
		{ "-i 99999999999999999999 true", "is not MS" }, { "--format=xml true", "neither text nor brief nor json" },
		{ "--repeat=x true", "\"x\" is not a number of runs" }, { "--repeat=-1 true", "is not a number of runs" },
		{ "--repeat=2000000 true", "is not a number of runs" }, { "--repeat=2 -s", "needs a command" },
		{ "--repeat=2 -i 5 true", "cannot be combined" },
		{ "-b --format=json true", "exclude each other" }, { "--sytem-wide", "did you mean --system-wide?" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct count_options o;
		struct op_reason error;

		if (parse(&o, wrong[i].line, &error) != CTL_WRONG || !strstr(error.text, wrong[i].says))
			fail_msg("\"%s\": %s", wrong[i].line, error.text);
		count_options_release(&o);
	}
}

static void test_generic_events_are_converted(void **state)
{
	static char *const words[] = {
		(char *)"page-faults", (char *)"cycles:u", (char *)"cs:k", (char *)"task-clock:uk", (char *)"cpu-cycles",
	};
	struct op_reason note = { "" }, error = { "" };
	struct count_events events;

	(void)state;
	if (count_events_find(&events, words, 5, "/nonexistent", &note, &error))
		fail_msg("%s", error.text);
	assert_int_equal(events.kinds.nr, 1);
	assert_int_equal(events.list[0].codes[0].type, PERF_TYPE_SOFTWARE);
	assert_int_equal(events.list[0].codes[0].config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_true(events.list[0].user && events.list[0].kernel);
	assert_int_equal(events.list[1].codes[0].type, PERF_TYPE_HARDWARE);
	assert_true(events.list[1].user && !events.list[1].kernel);
	assert_true(!events.list[2].user && events.list[2].kernel && events.list[2].in_kernel);
	assert_true(events.list[3].user && events.list[3].kernel);
	assert_int_equal(events.list[4].codes[0].config, events.list[1].codes[0].config);
	assert_string_equal(events.list[1].name, "cycles:u");
	count_events_release(&events);
}

static void test_invalid_events_are_refused(void **state)
{
	static const char *const wrong[] = { "", "page-faults:", "page-faults:x", "page-faults:u:k", "a/b", "x:1:2:3:4" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *word = (char *)wrong[i];
		struct op_reason note = { "" }, error = { "" };
		struct count_events events;

		if (!count_events_find(&events, &word, 1, "/nonexistent", &note, &error))
			fail_msg("\"%s\" is taken", word);
		assert_string_not_equal(error.text, "");
	}
}

static void test_perf_event_names_are_found(void **state)
{
	const struct op_perf_name *row;

	(void)state;
	for (size_t i = 0; (row = op_perf_name_row(i)); i++) {
		assert_ptr_equal(op_perf_name_find(row->name), row);
		if (row->other)
			assert_ptr_equal(op_perf_name_find(row->other), row);
	}
	assert_null(op_perf_name_find("page-fault"));
	assert_null(op_perf_name_find(""));
}

/*
 * Check the printed counts of two events in two rows. In the first row, the second event was
 * counted for a quarter of the time; in the second row, never.
 */
static void check_printed(const struct count_options *o, uint64_t ns, const char *wanted)
{
	struct count_event list[] = { { .name = (char *)"page-faults", .user = true, .kernel = true },
				      { .name = (char *)"LLC:0x1", .user = true } };
	struct count_events events = { .list = list, .nr = 2 };
	int ids[] = { 3, 4711 };
	struct count_set set = { .events = &events, .ids = ids, .nr_rows = 2, .by_cpu = o->what == COUNT_SYSTEM };
	struct count_value values[] = {
		{ 1234000, 1000, 1000 }, { 250, 1000, 250 }, { 567, 1000, 1000 }, { 0, 1000, 0 },
	};
	struct count_dump dump = {
		.options = o, .command = "/usr/bin/make", .set = &set, .values = values, .ns = ns,
		.end = { .tv_sec = 1700000000, .tv_nsec = 5000000 },
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(count_print(out, &dump), 0);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_counts_are_printed(void **state)
{
	struct count_options o = { .what = COUNT_COMMAND };

	(void)state;
	check_printed(&o, 3290000000, "\nEvents were actively counted for 3.2 seconds.\n"
		      "Event counts (scaled) for /usr/bin/make:\n"
		      "\tEvent              Count                    % time counted\n"
		      "\tpage-faults        1,234,567                100.00\n"
		      "\tLLC:0x1            2,000                    12.50\n");
	o = (struct count_options){ .what = COUNT_SYSTEM, .separate = true };
	check_printed(&o, 125000000000, "\nEvents were actively counted for 2 minutes and 5 seconds.\n"
		      "Event counts (scaled) for the whole system:\n"
		      "\tEvent              CPU       Count                    % time counted\n"
		      "\tpage-faults        3         1,234,000                100.00\n"
		      "\tpage-faults        4711      567                      100.00\n"
		      "\tLLC:0x1            3         1,000                    25.00\n"
		      "\tLLC:0x1            4711      Event not counted\n");
	o = (struct count_options){ .what = COUNT_THREADS, .separate = true, .format = COUNT_BRIEF };
	check_printed(&o, 1000, "\n3,page-faults,1234000,100.00\n4711,page-faults,567,100.00\n"
		      "3,LLC:0x1,1000,25.00\n4711,LLC:0x1,0,0.00\n");
	o = (struct count_options){ .what = COUNT_PROCESSES, .interval_ms = 250, .format = COUNT_BRIEF };
	check_printed(&o, 1000, "\ntimestamp,1700000000.005000000\npage-faults,1234567,100.00\nLLC:0x1,2000,12.50\n");
	o = (struct count_options){ .what = COUNT_THREADS, .interval_ms = 250 };
	check_printed(&o, 1000, "\nCurrent time (seconds since epoch): 1700000000.005000000\n"
		      "Event counts (scaled) for the specified thread(s):\n"
		      "\tEvent              Count                    % time counted\n"
		      "\tpage-faults        1,234,567                100.00\n"
		      "\tLLC:0x1            2,000                    12.50\n");
	o = (struct count_options){ .what = COUNT_SYSTEM, .format = COUNT_JSON, .interval_ms = 1 };
	check_printed(&o, 999, "{\"of\":\"system\",\"end_ns\":1700000000005000000,\"ns\":999,\"counts\":["
		      "{\"event\":\"page-faults\",\"count\":1234567,\"counted\":1234567,\"enabled_ns\":2000,"
		      "\"running_ns\":2000,\"kernel\":true,\"user\":true},"
		      "{\"event\":\"LLC:0x1\",\"count\":2000,\"counted\":250,\"enabled_ns\":2000,"
		      "\"running_ns\":250,\"kernel\":false,\"user\":true}],\"ratios\":[]}\n");
}

/* A ratio is printed if both of its events were counted in the same modes, even if one of them was
 * counted only part of the time. */
static void test_ratios_are_printed(void **state)
{
	static const char *const wanted = "\nElapsed: 2.000000 s; user code: 1.500000 s; kernel: 0.500000 s; CPUs used: 1.00\n"
		"instructions per cycle: 2.50\nbranch misses per branch: 5.00 %\n";
	struct count_event list[] = {
		{ .name = (char *)"INST_RETIRED:0" }, { .name = (char *)"CPU_CLK_UNHALTED:0" }, { .name = (char *)"branch-misses:u" },
		{ .name = (char *)"branches:u" }, { .name = (char *)"cache-misses" }, { .name = (char *)"cache-references:u" },
	};
	struct count_events events = { .list = list, .nr = 6 };
	struct count_value values[] = {
		{ 500, 10, 10 }, { 100, 10, 5 }, { 5, 10, 10 }, { 100, 10, 10 }, { 1, 10, 10 }, { 10, 10, 10 },
	};
	struct count_options o = { .what = COUNT_COMMAND };
	int id = 7;
	struct count_set set = { .events = &events, .ids = &id, .nr_rows = 1 };
	struct count_dump dump = {
		.options = &o, .command = "true", .set = &set, .values = values, .ns = 2000000000, .nr_runs = 1,
		.has_times = true, .user_ns = 1500000000, .kernel_ns = 500000000,
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(count_print(out, &dump), 0);
	values[1] = values[3] = (struct count_value){ 0, 10, 0 };
	assert_int_equal(count_print(out, &dump), 0);
	fclose(out);
	assert_non_null(strstr(text, wanted));
	assert_null(strstr(text, "reference:"));
	assert_null(strstr(strstr(text, wanted) + strlen(wanted), " per "));
	free(text);
}

static void test_relative_deviation_of_runs(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct count_spread s = { 0 };

	(void)state;
	assert_true(count_spread_deviation(&s) == 0);
	for (size_t i = 0; i < 8; i++)
		count_spread_add(&s, values[i]);
	assert_true(s.mean == 5);
	/* The sum of the squared differences is 32 and the mean is 5, so the relative deviation is
	 * sqrt(32 / 7) / 5. */
	assert_true(fabs(count_spread_deviation(&s) - 0.427618) < 1e-6);
}

static void test_idle_interval_prints_zero(void **state)
{
	struct count_options o = { .what = COUNT_THREADS, .interval_ms = 1, .format = COUNT_BRIEF };
	struct count_event event = { .name = (char *)"page-faults" };
	struct count_events events = { .list = &event, .nr = 1 };
	int id = 7;
	struct count_set set = { .events = &events, .ids = &id, .nr_rows = 1 };
	struct count_value value = { 0, 0, 0 };
	struct count_dump dump = { .options = &o, .set = &set, .values = &value };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(count_print(out, &dump), 0);
	o.format = COUNT_TEXT;
	assert_int_equal(count_print(out, &dump), 0);
	fclose(out);
	assert_non_null(strstr(text, "\npage-faults,0,100.00\n"));
	assert_null(strstr(text, "not counted"));
	free(text);
}

static void test_full_disk_is_an_error(void **state)
{
	struct count_options o = { .what = COUNT_SYSTEM };
	struct count_events events = { .nr = 0 };
	struct count_set set = { .events = &events };
	struct count_dump dump = { .options = &o, .set = &set };
	FILE *full = fopen("/dev/full", "we");

	(void)state;
	assert_int_not_equal(count_print(full, &dump), 0);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_are_parsed),
		cmocka_unit_test(test_invalid_options_are_reported),
		cmocka_unit_test(test_generic_events_are_converted),
		cmocka_unit_test(test_invalid_events_are_refused),
		cmocka_unit_test(test_perf_event_names_are_found),
		cmocka_unit_test(test_counts_are_printed),
		cmocka_unit_test(test_ratios_are_printed),
		cmocka_unit_test(test_relative_deviation_of_runs),
		cmocka_unit_test(test_idle_interval_prints_zero),
		cmocka_unit_test(test_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
