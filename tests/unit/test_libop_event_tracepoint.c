// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_tracepoint.c -- tests names and filters of tracepoints, and looks up tracepoints
 * in a simulated tracefs.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "libop/event/any_cpu.h"
#include "libop/event/choose.h"
#include "libop/event/spec.h"
#include "libop/event/tracepoint.h"
#include "libop/session/mangle.h"

static const char format[] =
	"name: sched_switch\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] rest;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:void *place;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"field:%s\", REC->prev_comm\n";

static void add_file(const char *dir, const char *path, const char *text)
{
	char full[300], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (slash = full + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_tracefs(const char *dir)
{
	add_file(dir, "events/enable", "0\n");
	add_file(dir, "events/sched/enable", "0\n");
	add_file(dir, "events/sched/sched_switch/id", "316\n");
	add_file(dir, "events/sched/sched_switch/format", format);
	add_file(dir, "events/sched/sched_wakeup/id", "314\n");
	add_file(dir, "events/timer/timer_start/id", "7\n");
	add_file(dir, "events/broken/broken/id", "\n");
}

static void test_tracepoint_names_are_recognised(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{ "sched:sched_switch", 18 }, { "sched:sched_switch:1", 18 }, { "sched:sched_switch/x", 18 },
		{ "timer:timer_start:1", 17 }, { "GROUP:name:1", 10 }, { "TIMER:ms", 0 }, { "X:name", 0 },
		{ "TIMER:1ms", 0 }, { "X:1", 0 }, { "page-faults:u", 0 }, { "sched:", 0 }, { ":x", 0 }, { "sched", 0 },
		{ "../sched:x:1", 0 }, { "sched:../x:1", 0 }, { "sched:a.b:1", 0 }, { "a/b:c", 0 }, { "a,b:c", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (op_event_tracepoint_length(cases[i].text) != cases[i].length)
			fail_msg("%s", cases[i].text);
	assert_true(op_event_is_timer("timer:1ms"));
	assert_false(op_event_is_timer("timer:timer_start:1"));
	assert_true(op_event_is_of_any_cpu("sched:sched_switch"));
}

static void test_tracepoint_specs_are_parsed(void **state)
{
	struct op_event_spec s;

	(void)state;
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch:3:0:1:0/prev_comm ~ \"a/b,c\" && x == 1"), 0);
	assert_string_equal(s.name, "sched:sched_switch");
	assert_int_equal(s.count, 3);
	assert_int_equal(s.user, 0);
	assert_string_equal(s.filter, "prev_comm ~ \"a/b,c\" && x == 1");
	op_event_spec_release(&s);
	assert_int_equal(op_event_spec_parse(&s, "timer:timer_start:1"), 0);
	assert_string_equal(s.name, "timer:timer_start");
	assert_int_equal(s.count, 1);
	assert_null(s.filter);
	op_event_spec_release(&s);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch"), OP_ERR_EVENT_NO_COUNT);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch/x == 1"), OP_ERR_EVENT_NO_COUNT);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch:0"), OP_ERR_EVENT_COUNT);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch:1ms"), OP_ERR_EVENT_TIME);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch:1/"), OP_ERR_EVENT_FILTER);
	assert_int_equal(op_event_spec_parse(&s, "sched:sched_switch:1/a\nb"), OP_ERR_EVENT_FILTER);
	assert_int_equal(op_event_spec_parse(&s, "CYCLES:100000/x == 1"), OP_ERR_EVENT_COUNT);
}

/* A ',' in a string or in a set of CPUs is a part of the filter, and does not end the event. */
static void test_commas_in_filters_do_not_split(void **state)
{
	static const struct {
		const char *list;
		size_t length;
	} cases[] = {
		{ "a:b:1,c:d:1", 5 }, { "a:b:1/x == 1,c:d:1", 12 }, { "a:b:1/x == \"1,2\",c:d:1", 16 },
		{ "a:b:1/cpu & CPUS{1,2},c:d:1", 21 }, { "TIMER:1ms,a:b:1/x", 9 }, { "", 0 }, { "a:b:1/\"", 7 },
		{ "a:b:1/x == 'y,z',c:d:1", 16 }, { "a:b:1/x == 'y\"z',c:d:1", 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (op_event_list_length(cases[i].list) != cases[i].length)
			fail_msg("%s", cases[i].list);
}

static void test_filter_is_added_to_tracepoints(void **state)
{
	static const char *const wrong[] = { "", "TIMER:1ms", "page-faults:1", "a:b:1,TIMER:1ms", "X:1" };
	struct op_reason error = { "" };
	char *list, *again;

	(void)state;
	assert_int_equal(op_event_list_filter(&list, "TIMER:1ms,a:b:1", "x == 1", &error), 0);
	assert_string_equal(list, "TIMER:1ms,a:b:1/x == 1");
	assert_int_equal(op_event_list_filter(&again, list, "y < 2", &error), 0);
	assert_string_equal(again, "TIMER:1ms,a:b:1/(x == 1) && (y < 2)");
	free(list);
	free(again);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(op_event_list_filter(&list, wrong[i], "x == 1", &error), -EINVAL);
		assert_non_null(strstr(error.text, "must follow a tracepoint"));
	}
	assert_int_equal(op_event_list_filter(&list, "a:b:1", "", &error), -EINVAL);
}

static void test_tracepoint_is_found(void **state)
{
	const char *dir = *state;
	struct op_event_table *table = op_event_table_new(op_cpu_by_number(OP_CPU_TIMER));
	struct op_reason error = { "" };
	const struct op_event *event;
	char text[200];
	uint64_t id;

	make_tracefs(dir);
	table->tracefs = dir;
	event = op_tracepoint_find(table, "sched:sched_switch", &error);
	assert_non_null(event);
	assert_true(op_event_is_tracepoint(event));
	assert_int_equal(event->raw, 316);
	assert_int_equal(event->min_count, 1);
	assert_string_equal(op_um_default(event->unit_mask)->desc, "No unit mask");
	assert_ptr_equal(op_tracepoint_find(table, "sched:sched_switch", &error), event);
	assert_string_equal(op_tracepoint_fields(text, sizeof(text), "sched:sched_switch", dir),
			    "prev_comm, prev_pid, rest, place");
	assert_string_equal(op_tracepoint_fields(text, 16, "sched:sched_switch", dir), "prev_comm");
	assert_string_equal(op_tracepoint_fields(text, sizeof(text), "sched:sched_wakeup", dir), "");

	assert_null(op_tracepoint_find(table, "sched:sched_swich", &error));
	assert_non_null(strstr(error.text, "the kernel has no tracepoint sched:sched_swich (did you mean sched:sched_switch?); "
					 "ophelp 'sched:*' lists"));
	assert_null(op_tracepoint_find(table, "shed:sched_switch", &error));
	assert_non_null(strstr(error.text, "did you mean sched:sched_switch?); ophelp '*:*' lists"));
	assert_int_equal(op_tracepoint_id(&id, "broken:broken", dir, &error), -EIO);
	assert_int_equal(op_tracepoint_id(&id, "sched:../sched/sched_switch", dir, &error), -EINVAL);
	assert_int_equal(op_tracepoint_id(&id, "sched:enable", dir, &error), -ENOENT);
	op_event_table_free(table);
}

static void test_tracepoints_are_listed(void **state)
{
	struct op_tracepoints list = { .nr = 0 };
	struct op_reason error = { "" };

	make_tracefs(*state);
	assert_int_equal(op_tracepoints_list(&list, "*:*", *state, &error), 0);
	assert_int_equal(list.nr, 4);
	assert_string_equal(list.names[1], "sched:sched_switch");
	assert_string_equal(list.names[3], "timer:timer_start");
	op_tracepoints_release(&list);
	assert_int_equal(op_tracepoints_list(&list, "sched:*wake*", *state, &error), 0);
	assert_int_equal(list.nr, 1);
	op_tracepoints_release(&list);
}

static void test_missing_tracefs_is_reported(void **state)
{
	struct op_reason error = { "" };
	uint64_t id;

	assert_int_equal(op_tracepoint_id(&id, "sched:sched_switch", *state, &error), -ENOENT);
	assert_non_null(strstr(error.text, "tracefs is not mounted; run as root: mount -t tracefs tracefs /sys/kernel/tracing"));
	if (geteuid() == 0)
		return;
	make_tracefs(*state);
	assert_int_equal(chmod(*state, 0), 0);
	assert_int_equal(op_tracepoint_id(&id, "sched:sched_switch", *state, &error), -EACCES);
	assert_non_null(strstr(error.text, "mount -o remount,gid=GROUP"));
	assert_int_equal(chmod(*state, 0700), 0);
}

/* Tracepoints are looked up like other events. A unit mask in place of the count is refused. */
static void test_tracepoints_are_chosen_like_events(void **state)
{
	struct op_event_spec specs[2];
	struct op_event_choice choices[2];
	struct op_event_table *table;
	struct op_reason error = { "" };

	make_tracefs(*state);
	assert_int_equal(op_events_load(&table, op_cpu_by_number(OP_CPU_TIMER), NULL, &error), 0);
	table->tracefs = *state;
	assert_int_equal(op_event_spec_parse(&specs[0], "sched:sched_switch:1"), 0);
	assert_int_equal(op_event_spec_parse(&specs[1], "sched:sched_wakeup:2"), 0);
	assert_int_equal(op_events_choose(choices, table, specs, 2, 0, 0, &error), 0);
	assert_int_equal(choices[0].counter, -1);
	assert_int_equal(choices[1].event->raw, 314);
	assert_int_equal(op_events_for_module(choices, 2, &error), OP_ERR_EVENT_CHOICE);
	assert_string_equal(error.text, "sched:sched_switch is a tracepoint, which the kernel module does not sample");
	op_event_spec_release(&specs[1]);

	assert_int_equal(op_event_spec_parse(&specs[1], "sched:sched_switch:2"), 0);
	assert_int_equal(op_events_choose(choices, table, specs, 2, 0, 0, &error), OP_ERR_EVENT_CHOICE);
	op_event_spec_release(&specs[1]);
	assert_int_equal(op_event_spec_parse(&specs[1], "faults:thread:2"), 0);
	free(specs[1].name);
	specs[1].name = strdup("TIMER:thread");
	assert_int_equal(op_event_resolve(choices, table, &specs[1], 0, &error), OP_ERR_EVENT_UNKNOWN);
	op_event_spec_release(&specs[1]);
	assert_int_equal(op_event_spec_parse(&specs[1], "TIMER:thread:2"), 0);
	assert_int_equal(op_event_resolve(choices, table, &specs[1], 0, &error), OP_ERR_EVENT_UNKNOWN);
	assert_string_equal(error.text, "\"TIMER:thread\": write the count of event TIMER before its unit mask: TIMER:COUNT:thread");
	op_event_spec_release(&specs[1]);
	op_event_spec_release(&specs[0]);
	op_event_table_free(table);
}

/*
 * The name of a tracepoint's sample file contains the ':', because OProfile 1.4 splits names only
 * at '.'.
 */
static void test_sample_file_name_keeps_colon(void **state)
{
	const struct op_sample_name name = {
		.app = { .kind = OP_IMAGE_ROOT, .path = (char *)"/bin/a" },
		.image = { .kind = OP_IMAGE_KERN, .path = (char *)"vmlinux" },
		.event = (char *)"sched:sched_switch", .count = 1, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
	};
	struct op_sample_name back;
	char *path;

	(void)state;
	assert_int_equal(op_mangle(&path, &name), 0);
	assert_string_equal(path, "{root}/bin/a/{dep}/{kern}/vmlinux/sched:sched_switch.1.0.all.all.all");
	assert_int_equal(op_unmangle(&back, path), 0);
	assert_string_equal(back.event, "sched:sched_switch");
	op_sample_name_release(&back);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoint_names_are_recognised),
		cmocka_unit_test(test_tracepoint_specs_are_parsed),
		cmocka_unit_test(test_commas_in_filters_do_not_split),
		cmocka_unit_test(test_filter_is_added_to_tracepoints),
		cmocka_unit_test_setup_teardown(test_tracepoint_is_found,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_tracepoints_are_listed,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_missing_tracefs_is_reported,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_tracepoints_are_chosen_like_events,
						check_make_dir, check_remove_dir),
		cmocka_unit_test(test_sample_file_name_keeps_colon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
