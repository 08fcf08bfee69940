// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_file.c -- tests the parser of events and unit_masks files, and its error
 * messages.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "libop/event/file.h"

#define GOOD_MASKS \
	"# a comment\n" \
	"name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n" \
	"name:bits type:bitmask default:0x03\n\t0x01 One\n\t0x02 Two\n\t0x04 Four\n" \
	"name:named type:exclusive default:fast\n" \
	"\t0x01 extra: slow Slow ones\n" \
	"\t0x01 extra:inv,edge,any,cmask=12 fast Fast ones\n"
#define GOOD_EVENTS \
	"event:0x3c counters:cpuid,fixed1 um:zero minimum:6000 name:CLOCK : Cycles : of the clock # really\n" \
	"event:0x76 counters:0,2 um:bits minimum:0x10 name:BITS filter:3 : Bits\n" \
	"event:0x10 counters:cpuid um:named minimum:1 name:NAMED : Named\n"

static void write_file(const char *dir, const char *cpu, const char *name, const char *text)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/t", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s", dir, cpu);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, cpu, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int load(const char *dir, struct op_event_table **table, struct op_reason *error)
{
	return op_event_file_load_folder(table, op_cpu_by_name("i386/arch_perfmon"), "t/cpu", dir, error);
}

static void test_events_and_masks_are_parsed(void **state)
{
	struct op_event_table *table = NULL;
	struct op_reason error = { "" };
	const struct op_event *event;
	const struct op_um_value *value;

	write_file(*state, "t/cpu", "unit_masks", GOOD_MASKS);
	write_file(*state, "t/cpu", "events", GOOD_EVENTS);
	if (load(*state, &table, &error))
		fail_msg("%s", error.text);
	assert_int_equal(table->nr_events, 3);
	assert_int_equal(table->nr_unit_masks, 3);

	event = op_event_find(table, "CLOCK");
	assert_string_equal(event->desc, "Cycles : of the clock # really");
	assert_int_equal(event->code, 0x3c);
	assert_true(event->counters == (0xffffffff | 2ULL << 32));
	assert_int_equal(event->min_count, 6000);
	assert_ptr_equal(op_event_find(table, "clock"), event);

	event = op_event_find(table, "BITS");
	assert_true(event->counters == 5);
	assert_int_equal(event->min_count, 16);
	assert_int_equal(event->unit_mask->default_value, 3);
	assert_true(op_um_valid(event->unit_mask, 7));
	assert_true(op_um_valid(event->unit_mask, 5));
	assert_false(op_um_valid(event->unit_mask, 8));
	assert_false(op_um_valid(event->unit_mask, 0));

	event = op_event_find(table, "NAMED");
	value = op_um_default(event->unit_mask);
	assert_string_equal(value->name, "fast");
	assert_int_equal(value->extra, OP_EXTRA_INV | OP_EXTRA_EDGE | OP_EXTRA_ANY |
			 12 << OP_EXTRA_CMASK_SHIFT);
	assert_true(op_event_config(table->cpu, event, value->value, value->extra) == 0x0ca40110);
	value = op_um_value_by_name(event->unit_mask, "SLOW");
	assert_int_equal(value->extra, OP_EXTRA_NONE);
	assert_true(op_event_config(table->cpu, event, value->value, value->extra) == 0x0110);
	op_event_table_free(table);
}

static void test_raw_codes_are_events(void **state)
{
	struct op_event_table *table = NULL;
	const struct op_event *event;

	write_file(*state, "t/cpu", "unit_masks", GOOD_MASKS);
	write_file(*state, "t/cpu", "events", GOOD_EVENTS);
	assert_int_equal(load(*state, &table, NULL), 0);
	event = op_event_find(table, "r01c2");
	assert_non_null(event);
	assert_int_equal(event->code, 0xc2);
	assert_true(op_event_config(table->cpu, event, 0, 0) == 0x1c2);
	assert_ptr_equal(op_event_find(table, "r01c2"), event);
	assert_null(op_event_find(table, "r"));
	assert_null(op_event_find(table, "r12g"));
	assert_null(op_event_find(table, "r12345678123456789"));
	op_event_table_free(table);
}

static void test_include_and_merge(void **state)
{
	struct op_event_table *table = NULL;
	struct op_reason error = { "" };
	const struct op_event *event;

	write_file(*state, "t/base", "unit_masks", GOOD_MASKS);
	write_file(*state, "t/base", "events", GOOD_EVENTS);
	write_file(*state, "t/cpu", "unit_masks", "include:t/base\n"
		   "name:more type:bitmask default:0x10\n\t0x10 Sixteen\n");
	write_file(*state, "t/cpu", "events", "include:t/base\n"
		   "event:0x1 counters:0 um:bits,more minimum:1 name:MERGED : Both\n");
	if (load(*state, &table, &error))
		fail_msg("%s", error.text);
	assert_int_equal(table->nr_events, 4);
	event = op_event_find(table, "MERGED");
	assert_int_equal(event->unit_mask->nr_values, 4);
	assert_int_equal(event->unit_mask->type, OP_UM_BITMASK);
	assert_int_equal(event->unit_mask->default_value, 3);
	assert_true(op_um_valid(event->unit_mask, 0x17));
	op_event_table_free(table);
}

static const struct {
	const char *masks, *events, *place, *words;
} mistakes[] = {
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "no counters:" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "no um:" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero name:X : X\n",
	  "/t/cpu/events:4: ", "no minimum:" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero minimum:1 : X\n",
	  "/t/cpu/events:4: ", "no name:" },
	{ GOOD_MASKS, GOOD_EVENTS "counters:0 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "no event:" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero minimum:1 name:X\n",
	  "/t/cpu/events:4: ", "no description" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zer minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "unknown unit mask \"zer\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero minimum:1 name:clock : X\n",
	  "/t/cpu/events:4: ", "event clock is already defined at" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero minimum:1 name:X.Y : X\n",
	  "/t/cpu/events:4: ", "event name \"X.Y\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:0 um:zero minimum:0 name:X : X\n",
	  "/t/cpu/events:4: ", "minimum \"0\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:32 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "counter \"32\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x1 counters:1,1 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "\"1\" appears twice" },
	{ GOOD_MASKS, GOOD_EVENTS "event:0x10000 counters:1 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "event code \"0x10000\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:1 event:2 counters:1 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "\"event:\" appears twice" },
	{ GOOD_MASKS, GOOD_EVENTS "event:1 wrong:2 counters:1 um:zero minimum:1 name:X : X\n",
	  "/t/cpu/events:4: ", "unknown tag \"wrong:\"" },
	{ GOOD_MASKS, GOOD_EVENTS "event:1 counters:1 um:zero minimum:1 ext:abc name:X : X\n",
	  "/t/cpu/events:4: ", "ext \"abc\"" },
	{ GOOD_MASKS, GOOD_EVENTS "include:t/nowhere\n", "/t/nowhere/events: ", "No such file" },
	{ GOOD_MASKS, GOOD_EVENTS "include:../t\n", "", "\"../t\" is not the name of a CPU" },
	{ GOOD_MASKS, "include:t/cpu\n", "/t/cpu/events ", "includes itself" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1 One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "no event uses unit mask x" },
	{ GOOD_MASKS "name:x type:mandatory default:1\n\t1 One\n\t2 Two\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "is mandatory, but has 2 values" },
	{ GOOD_MASKS "name:x type:bitmask default:5\n\t1 One\n\t2 Two\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "default 0x5 of unit mask x is not made of its values" },
	{ GOOD_MASKS "name:x type:exclusive default:3\n\t1 One\n\t2 Two\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "default 0x3 of unit mask x is not among its values" },
	{ GOOD_MASKS "name:x type:exclusive default:abc\n\t1 One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "default \"abc\" of unit mask x is not among" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "unit mask x has no values" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1 One\n\t1 Uno\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:13: ", "value 0x1 twice" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1 extra: a One\n\t2 extra: A Uno\n",
	  GOOD_EVENTS, "/t/cpu/unit_masks:13: ", "value \"A\" twice" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1 extra:wrong a One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:12: ", "extra \"wrong\"" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1 extra:cmask=256 a One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:12: ", "extra \"cmask=256\"" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\tone One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:12: ", "\"one\": expected a number" },
	{ GOOD_MASKS "name:x type:bitmask default:1\n\t1\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:12: ", "needs a description" },
	{ GOOD_MASKS "name:zero type:bitmask default:1\n\t1 One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "unit mask zero is already defined" },
	{ GOOD_MASKS "name:x default:1\n\t1 One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "needs name:, type: and default:" },
	{ GOOD_MASKS "name:x type:some default:1\n\t1 One\n", GOOD_EVENTS,
	  "/t/cpu/unit_masks:11: ", "type \"some\"" },
	{ "\t0x1 One\n", GOOD_EVENTS, "/t/cpu/unit_masks:1: ", "before the first name:" },
};

/*
 * Each mistake in a file is reported with its position and a message that contains the given words.
 */
static void test_mistakes_are_reported_with_line(void **state)
{
	struct op_event_table *table = NULL;

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct op_reason error = { "" };
		int err;

		write_file(*state, "t/cpu", "unit_masks", mistakes[i].masks);
		write_file(*state, "t/cpu", "events", mistakes[i].events);
		err = load(*state, &table, &error);
		if ((err != OP_ERR_EVENT_TABLE && err != -ENOENT) || table ||
		    !strstr(error.text, mistakes[i].place) || !strstr(error.text, mistakes[i].words))
			fail_msg("case %zu: err %d, message: %s", i, err, error.text);
	}
}

static void test_missing_table_is_reported(void **state)
{
	struct op_event_table *table = NULL;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(op_event_file_load(&table, op_cpu_by_name("timer"), "/", &error), -ENODATA);
	assert_non_null(strstr(error.text, "TIMER"));
	assert_int_equal(op_event_file_load(&table, op_cpu_by_name("i386/skylake"), "/nowhere", &error),
			 -ENOENT);
	assert_string_equal(error.text, "cannot open the tables of events in /nowhere: No such file or directory; "
			    "run make install, or name their directory in OPROFILE_EVENTS_DIR");
	assert_null(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_events_and_masks_are_parsed),
		test_in_dir(test_raw_codes_are_events),
		test_in_dir(test_include_and_merge),
		test_in_dir(test_mistakes_are_reported_with_line),
		cmocka_unit_test(test_missing_table_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
