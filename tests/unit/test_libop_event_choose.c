// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_choose.c -- tests the look-up of the arguments of --event in a CPU's event
 * table.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/base/error.h"
#include "libop/event/counter_alloc.h"
#include "libop/event/choose.h"
#include "libop/event/file.h"

struct chosen {
	struct op_event_table *table;
	struct op_event_choice choices[8];
	struct op_reason error;
	int err;
};

/* Look up @events, separated by spaces, for the CPU type @cpu_name. */
static void choose(struct chosen *c, const char *cpu_name, const char *events, unsigned int flags)
{
	const struct op_cpu_desc *cpu = op_cpu_by_name(cpu_name);
	struct op_event_spec specs[8];
	char text[512], *next = text, *word;
	size_t nr = 0, i;

	memset(c, 0, sizeof(*c));
	if (op_event_file_load(&c->table, cpu, EVENTS_DIR, &c->error))
		fail_msg("%s", c->error.text);
	snprintf(text, sizeof(text), "%s", events);
	while ((word = strsep(&next, " ")))
		assert_int_equal(op_event_spec_parse(&specs[nr++], word), 0);
	c->err = op_events_choose(c->choices, c->table, specs, nr,
				  op_counter_mask(cpu->counters, cpu->fixed), flags, &c->error);
	for (i = 0; i < nr; i++)
		op_event_spec_release(&specs[i]);
}

/*
 * An event's name is accepted as perf and Intel's lists write it, and with the unit mask appended
 * by an underscore.
 */
static void test_names_with_masks(void **state)
{
	struct chosen c;

	(void)state;
	choose(&c, "i386/skylake", "mem_load_retired.l3_miss:2000 MEM_LOAD_RETIRED_L3_HIT:2000 "
	       "BR_INST_RETIRED.NEAR_TAKEN:100000:0x20 L1D_PEND_MISS.PENDING:100000", 0);
	if (c.err)
		fail_msg("%s", c.error.text);
	assert_string_equal(c.choices[0].event->name, "MEM_LOAD_RETIRED");
	assert_string_equal(c.choices[0].um_name, "l3_miss");
	assert_true(c.choices[0].config == 0x20d1);
	assert_true(c.choices[1].config == 0x4d1);
	assert_true(c.choices[2].config == 0x20c4);
	assert_string_equal(c.choices[3].event->name, "L1D_PEND_MISS");
	op_event_table_free(c.table);

	/* A mask that does not exist, and a mask that contradicts the name, are refused. */
	choose(&c, "i386/skylake", "MEM_LOAD_RETIRED.NOTHING:2000", 0);
	assert_int_equal(c.err, OP_ERR_EVENT_UNKNOWN);
	op_event_table_free(c.table);
	choose(&c, "i386/skylake", "MEM_LOAD_RETIRED.L3_MISS:2000:0x01", 0);
	assert_int_equal(c.err, OP_ERR_EVENT_UM);
	op_event_table_free(c.table);
}

static void test_defaults_and_masks(void **state)
{
	struct chosen c;

	(void)state;
	choose(&c, "i386/skylake", "MEM_LOAD_RETIRED:2000:l3_miss CYCLE_ACTIVITY:100000:STALLS_L2_MISS "
	       "CPU_CLK_UNHALTED:100000 BR_INST_RETIRED:100000:0x20:0:1", 0);
	if (c.err)
		fail_msg("%s", c.error.text);
	assert_int_equal(c.choices[0].um, 0x20);
	assert_true(c.choices[0].config == 0x20d1);
	assert_string_equal(c.choices[0].um_name, "l3_miss");
	assert_true(c.choices[1].config == 0x50005a3);
	assert_true(c.choices[2].config == 0x3c);
	assert_true(c.choices[3].config == 0x20c4);
	assert_int_equal(c.choices[3].kernel, 0);
	op_event_table_free(c.table);

	/*
	 * If the mask of an event is a bit set, an event without a mask selects all bits, and any
	 * combination of bits is accepted.
	 */
	choose(&c, "x86-64/zen3", "L1_DTLB_MISS:500 L1_DTLB_MISS:500:0x11", 0);
	assert_int_equal(c.err, 0);
	assert_int_equal(c.choices[0].um, 0xff);
	assert_int_equal(c.choices[1].um, 0x11);
	assert_null(c.choices[1].um_name);
	op_event_table_free(c.table);

	choose(&c, "x86-64/zen3", "OP_CACHE_HIT_MISS:5000:oc_miss", 0);
	if (c.err)
		fail_msg("%s", c.error.text);
	assert_true(c.choices[0].config == 0x20000048fULL);	/* an event code has twelve bits */
	op_event_table_free(c.table);

	choose(&c, "arm/armv8-neoverse-v1", "STALL_BACKEND_MEM:5000 r4005:5000", 0);
	assert_int_equal(c.err, 0);
	assert_true(c.choices[0].config == 0x4005);
	assert_true(c.choices[1].config == 0x4005);
	op_event_table_free(c.table);
}

static void test_wrong_events_are_reported(void **state)
{
	static const struct {
		const char *events;
		int err;
		const char *words;
	} cases[] = {
		{ "MEM_LOAD_RETIERD:2000", OP_ERR_EVENT_UNKNOWN, "did you mean MEM_LOAD_RETIRED" },
		{ "COMPLETELY_DIFFERENT:2000", OP_ERR_EVENT_UNKNOWN, "run ophelp for a list of events" },
		{ "MEM_LOAD_RETIRED:2000:l3_mis", OP_ERR_EVENT_UM, "did you mean l3_miss" },
		{ "MEM_LOAD_RETIRED:2000:xyzzy", OP_ERR_EVENT_UM, "its unit masks are 0x01 l1_hit, " },
		{ "MEM_LOAD_RETIRED:2000:3", OP_ERR_EVENT_UM, "has no unit mask 0x03; its unit masks are 0x01 l1_hit" },
		{ "CPU_CLK_UNHALTED:2000:7", OP_ERR_EVENT_UM, "no unit mask 0x07" },
		{ "r1c2:10000:7", OP_ERR_EVENT_UM, "does not take a unit mask" },
		{ "CPU_CLK_UNHALTED:5999", OP_ERR_EVENT_COUNT, "minimum 6000" },
		{ "CPU_CLK_UNHALTED:6000:0:0:0", OP_ERR_EVENT_CHOICE, "neither the kernel nor user" },
		{ "CPU_CLK_UNHALTED:6000 CPU_CLK_UNHALTED:7000", OP_ERR_EVENT_CHOICE, "is given twice" },
		{ "CYCLE_ACTIVITY:5000:0x05 CYCLE_ACTIVITY:5000:stalls_l2_miss", OP_ERR_EVENT_CHOICE,
		  "is given twice" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct chosen c;

		choose(&c, "i386/skylake", cases[i].events, 0);
		if (c.err != cases[i].err || !strstr(c.error.text, cases[i].words))
			fail_msg("%s: err %d, message: %s", cases[i].events, c.err, c.error.text);
		op_event_table_free(c.table);
	}
}

/*
 * The number of a mask can be ambiguous: several masks may have the same number but differ in other
 * settings.
 */
static void test_numbers_with_several_meanings(void **state)
{
	struct chosen c;

	(void)state;
	/*
	 * The number 0x10 selects walk_pending, which has no other settings, rather than
	 * walk_active.
	 */
	choose(&c, "i386/icelake", "DTLB_LOAD_MISSES:2000:0x10 DTLB_LOAD_MISSES:2000:walk_active", 0);
	if (c.err)
		fail_msg("%s", c.error.text);
	assert_string_equal(c.choices[0].um_name, "walk_pending");
	assert_true(c.choices[0].config == 0x1008);
	assert_true(c.choices[1].config == 0x1001008);
	op_event_table_free(c.table);

	/* If several masks have the number 8, the default mask is selected. */
	choose(&c, "i386/skylake", "CYCLE_ACTIVITY:5000:8", 0);
	assert_int_equal(c.err, 0);
	assert_true(c.choices[0].config == 0x80008a3);
	op_event_table_free(c.table);
}

static void test_flags_relax_checks(void **state)
{
	struct chosen c;

	(void)state;
	choose(&c, "i386/skylake", "CPU_CLK_UNHALTED:1", OP_CHOOSE_ANY_COUNT);
	assert_int_equal(c.err, 0);
	op_event_table_free(c.table);
	choose(&c, "i386/nehalem", "r1:9999 r2:9999 r3:9999 r4:9999 r5:9999", 0);
	assert_int_equal(c.err, OP_ERR_EVENT_CHOICE);
	op_event_table_free(c.table);
	choose(&c, "i386/nehalem", "r1:9999 r2:9999 r3:9999 r4:9999 r5:9999", OP_CHOOSE_NO_COUNTERS);
	assert_int_equal(c.err, 0);
	assert_int_equal(c.choices[4].counter, -1);
	op_event_table_free(c.table);
}

static void test_events_get_allowed_counters(void **state)
{
	struct chosen c;

	(void)state;
	/*
	 * Seven events fit on four general and three fixed counters, if each fixed counter counts
	 * its own event.
	 */
	choose(&c, "i386/skylake", "CPU_CLK_UNHALTED:6000 INST_RETIRED:6000 "
	       "UNHALTED_REFERENCE_CYCLES:6000 r1:9999 r2:9999 r3:9999 r4:9999", 0);
	if (c.err)
		fail_msg("%s", c.error.text);
	assert_int_equal(c.choices[0].counter, OP_FIXED_COUNTER(1));
	assert_int_equal(c.choices[1].counter, OP_FIXED_COUNTER(0));
	assert_int_equal(c.choices[2].counter, OP_FIXED_COUNTER(2));
	op_event_table_free(c.table);

	/*
	 * The two events that can use only counter 3 of family 15h are reported, but not the third
	 * event.
	 */
	choose(&c, "x86-64/family15h", "RETIRED_SSE_OPS:5000:0x01 RETIRED_INSTRUCTIONS:50000 "
	       "RETIRED_SSE_OPS:5000:0x02", 0);
	assert_int_equal(c.err, OP_ERR_EVENT_CHOICE);
	assert_string_equal(c.error.text, "events RETIRED_SSE_OPS:single_add_sub_ops and "
			    "RETIRED_SSE_OPS:single_mul_ops cannot be counted together: only "
			    "counter 3 can count these 2 events; count them in separate runs");
	op_event_table_free(c.table);
}

/* Each unit mask of each event of every CPU has a unique name by which it is found. */
static void test_words_of_masks(void **state)
{
	const struct op_cpu_desc *cpu;
	size_t i, j, k, l, words = 0;

	(void)state;
	for (i = 0; (cpu = op_cpu_row(i)); i++) {
		struct op_event_table *table;
		struct op_reason error = { "" };

		if (!cpu->events)
			continue;
		if (op_events_load(&table, cpu, EVENTS_DIR, &error))
			fail_msg("%s", error.text);
		for (j = 0; j < table->nr_events; j++) {
			const struct op_unit_mask *um = table->events[j]->unit_mask;
			uint32_t word[512];

			assert_true(um->nr_values < 512);
			for (k = 0; k < um->nr_values; k++) {
				const struct op_um_value *v = &um->values[k], *found;
				struct op_event_choice choice = {
					.event = table->events[j], .um = v->value, .extra = v->extra,
					.config1 = v->config1,
				};
				uint32_t number, extra;

				word[k] = op_choice_um_word(&choice);
				found = op_um_from_word(table->events[j], word[k], &number, &extra);
				assert_non_null(found);
				assert_true(number == (v->value & 0xff) && found->value == v->value &&
					    !((found->extra ^ v->extra) & OP_EXTRA_REGISTER) &&
					    found->config1 == v->config1);
				for (l = 0; l < k; l++) {
					const struct op_um_value *o = &um->values[l];

					if ((word[k] == word[l]) !=
					    (o->value == v->value && o->config1 == v->config1 &&
					     !((o->extra ^ v->extra) & OP_EXTRA_REGISTER)))
						fail_msg("%s %s: 0x%x and 0x%x", cpu->name,
							 table->events[j]->name, word[k], word[l]);
				}
				words++;
			}
		}
		op_event_table_free(table);
	}
	assert_true(words > 1000);
}

/*
 * More events than counters are divided into groups. Each event is in one group, and the counters
 * can count all events of a group at the same time.
 */
static void test_surplus_events_form_groups(void **state)
{
	struct chosen c;
	int seen[3][8] = { { 0 } };

	(void)state;
	choose(&c, "x86-64/family10", "CPU_CLK_UNHALTED:100000 RETIRED_INSTRUCTIONS:100000 "
	       "RETIRED_UOPS:100000 DATA_CACHE_ACCESSES:100000 DATA_CACHE_MISSES:100000 "
	       "INSTRUCTION_CACHE_FETCHES:100000", 0);
	assert_int_equal(c.err, OP_ERR_EVENT_CHOICE);
	op_event_table_free(c.table);
	choose(&c, "x86-64/family10", "CPU_CLK_UNHALTED:100000 RETIRED_INSTRUCTIONS:100000 "
	       "RETIRED_UOPS:100000 DATA_CACHE_ACCESSES:100000 DATA_CACHE_MISSES:100000 "
	       "INSTRUCTION_CACHE_FETCHES:100000", OP_CHOOSE_GROUPS);
	assert_int_equal(c.err, 0);
	for (size_t i = 0; i < 6; i++) {
		assert_true(c.choices[i].group < 2 && c.choices[i].counter >= 0);
		assert_int_equal(seen[c.choices[i].group][c.choices[i].counter]++, 0);
		assert_int_equal(c.choices[i].group, i / 4);
	}
	op_event_table_free(c.table);
}

/*
 * Random events with random counters are grouped by the rule: an event goes to the first group that
 * has room.
 */
static void test_random_events_go_to_first_free_group(void **state)
{
	struct op_unit_mask um = { .type = OP_UM_MANDATORY };
	struct op_um_value value = { 0 };
	unsigned int round, i, j, seed = 1;

	(void)state;
	um.values = &value;
	um.nr_values = 1;
	for (round = 0; round < 20000; round++) {
		struct op_event events[10];
		struct op_event_choice choices[10];
		struct op_reason error = { "" };
		unsigned int nr = rand_r(&seed) % 10 + 1;
		uint64_t available = 0xf, used[10] = { 0 };
		int possible = 1;

		memset(events, 0, sizeof(events));
		memset(choices, 0, sizeof(choices));
		for (i = 0; i < nr; i++) {
			events[i].name = (char *)"X";
			events[i].unit_mask = &um;
			events[i].counters = rand_r(&seed) % 32;
			choices[i].event = &events[i];
			possible &= (events[i].counters & available) != 0;
		}
		if (op_events_allocate(choices, nr, available, OP_CHOOSE_GROUPS, &error)) {
			assert_false(possible);
			continue;
		}
		assert_true(possible);
		for (i = 0; i < nr; i++) {
			uint64_t bit = 1ull << choices[i].counter;

			assert_true(choices[i].group < nr);
			assert_true(events[i].counters & available & bit);
			assert_false(used[choices[i].group] & bit);
			used[choices[i].group] |= bit;
		}
		/* An event must not be in a later group if an earlier group had room for it. */
		for (i = 0; i < nr; i++) {
			for (j = 0; j < choices[i].group; j++) {
				uint64_t allowed[11];
				struct op_counter_clash clash;
				int counters[11];
				unsigned int n = 0, k;

				for (k = 0; k < nr; k++) {
					if (choices[k].group == j)
						allowed[n++] = events[k].counters;
				}
				allowed[n++] = events[i].counters;
				assert_int_equal(op_counter_alloc(counters, allowed, n, available, &clash),
						 -EBUSY);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_with_masks),
		cmocka_unit_test(test_defaults_and_masks),
		cmocka_unit_test(test_wrong_events_are_reported),
		cmocka_unit_test(test_numbers_with_several_meanings),
		cmocka_unit_test(test_flags_relax_checks),
		cmocka_unit_test(test_events_get_allowed_counters),
		cmocka_unit_test(test_words_of_masks),
		cmocka_unit_test(test_surplus_events_form_groups),
		cmocka_unit_test(test_random_events_go_to_first_free_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
