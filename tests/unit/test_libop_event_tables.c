// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_event_tables.c -- tests every table of events/, as it is shipped. */
#include "config.h"
#include "tests/unit/check.h"

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>

#include "libop/event/choose.h"
#include "libop/event/file.h"

/*
 * Load the table of the directory @folder; fail with the parser's message if the table is invalid.
 */
static struct op_event_table *load(const char *folder, const struct op_cpu_desc *cpu)
{
	struct op_event_table *table = NULL;
	struct op_reason error = { "" };

	if (op_event_file_load_folder(&table, cpu, folder, EVENTS_DIR, &error))
		fail_msg("%s", error.text);
	return table;
}

/* Return a CPU type that uses the same format of event codes as the tables in @folder. */
static const struct op_cpu_desc *cpu_like(const char *folder)
{
	return op_cpu_by_name(!strncmp(folder, "arm/", 4) ? "arm/armv8-pmuv3" :
			      !strncmp(folder, "i386/", 5) ? "i386/arch_perfmon" : "x86-64/generic");
}

static bool is_sentence(const char *text)
{
	size_t len = strlen(text);

	return len > 2 && (!islower((unsigned char)text[0]) || !strncmp(text, "x87", 3)) &&
	       text[len - 1] != '.' && len < 120;
}

static void check_event(const char *folder, const struct op_event *event)
{
	const struct op_unit_mask *um = event->unit_mask;

	if (!event->counters == !event->ext || event->code > 0xffff ||
	    (event->code > 0xfff && folder[0] != 'a' && !event->ext))
		fail_msg("%s: %s: counters or code", folder, event->name);
	if (!is_sentence(event->desc) || event->min_count < 1 || event->min_count > 1000000)
		fail_msg("%s: %s: description or minimum", folder, event->name);
	assert_true(um->used);
	for (size_t i = 0; i < um->nr_values; i++) {
		if (um->values[i].value > 0xff || strlen(um->values[i].desc) < 3 ||
		    strlen(um->values[i].desc) > 100)
			fail_msg("%s: %s: value 0x%x", folder, event->name, um->values[i].value);
	}
}

static void test_every_event_file_is_valid(void **state)
{
	size_t i, j, folders = 0;
	glob_t found;

	(void)state;
	assert_int_equal(glob(EVENTS_DIR "/*/*/events", 0, NULL, &found), 0);
	for (i = 0; i < found.gl_pathc; i++) {
		char *folder = found.gl_pathv[i] + strlen(EVENTS_DIR) + 1;
		struct op_event_table *table;

		*strrchr(folder, '/') = '\0';
		table = load(folder, cpu_like(folder));
		assert_true(table->nr_events > 0);
		for (j = 0; j < table->nr_events; j++)
			check_event(folder, table->events[j]);
		op_event_table_free(table);
		folders++;
	}
	globfree(&found);
	assert_true(folders > 30);
}

/* Each CPU's default event is in its table, and can be counted by its counters. */
static void test_default_event_of_each_cpu_is_countable(void **state)
{
	const struct op_cpu_desc *cpu;

	(void)state;
	for (size_t i = 0; (cpu = op_cpu_row(i)); i++) {
		struct op_event_table *table;
		struct op_event_spec spec;
		struct op_event_choice choice;
		struct op_reason error = { "" };

		if (!cpu->events)
			continue;
		table = load(cpu->events, cpu);
		assert_int_equal(op_event_spec_parse(&spec, cpu->default_event), 0);
		if (op_events_choose(&choice, table, &spec, 1,
				     op_counter_mask(cpu->counters, cpu->fixed), 0, &error))
			fail_msg("%s: %s", cpu->name, error.text);
		op_event_spec_release(&spec);
		op_event_table_free(table);
	}
}

/*
 * Events of memory instructions are limited to the first four counters, although a core without
 * hyperthreading has eight counters.
 */
static void test_memory_events_on_four_counters(void **state)
{
	static const char *const folders[] = {
		"i386/sandybridge", "i386/haswell", "i386/skylake", "i386/icelake",
		"i386/sapphirerapids", "i386/graniterapids", "i386/alderlake-p",
	};
	size_t i, j, seen = 0;

	(void)state;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct op_event_table *table = load(folders[i], cpu_like(folders[i]));

		for (j = 0; j < table->nr_events; j++) {
			const struct op_event *event = table->events[j];

			if (event->code < 0xd0 || event->code > 0xd3)
				continue;
			seen++;
			if (event->counters != 0xf)
				fail_msg("%s: %s: counters", folders[i], event->name);
		}
		op_event_table_free(table);
	}
	assert_true(seen > 20);
}

static void test_every_event_has_a_counter(void **state)
{
	const struct op_cpu_desc *cpu;

	(void)state;
	for (size_t i = 0; (cpu = op_cpu_row(i)); i++) {
		struct op_event_table *table;

		if (!cpu->events)
			continue;
		table = load(cpu->events, cpu);
		for (size_t j = 0; j < table->nr_events; j++) {
			if (!table->events[j]->ext &&
			    !(table->events[j]->counters & op_counter_mask(cpu->counters, cpu->fixed)))
				fail_msg("%s: %s has no counter", cpu->name, table->events[j]->name);
		}
		op_event_table_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_file_is_valid),
		cmocka_unit_test(test_default_event_of_each_cpu_is_countable),
		cmocka_unit_test(test_memory_events_on_four_counters),
		cmocka_unit_test(test_every_event_has_a_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
