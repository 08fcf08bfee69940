// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_top_live.c -- tests the counts behind optop's live screen: the number of a function does
 * not change, and each snapshot ("picture") contains all counts that were added after the previous
 * one.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/top/live.h"

static void test_set_numbers_keys(void **state)
{
	struct pp_top_set set = { 0 };
	uint32_t n;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 10000; i++) {
			assert_int_equal(pp_top_set_add(&set, i * i << 20, &n), 0);
			assert_int_equal(n, i);
		}
	assert_int_equal(pp_top_set_add(&set, UINT64_MAX, &n), 0);
	assert_int_equal(n, 10000);
	pp_top_set_forget_last(&set);
	assert_int_equal(set.nr, 10000);
	assert_int_equal(pp_top_set_add(&set, 7, &n), 0);
	assert_int_equal(n, 10000);
	assert_int_equal(pp_top_set_add(&set, 81 << 20, &n), 0);
	assert_int_equal(n, 9);
	pp_top_set_release(&set);
}

/* Add samples of two functions in one program: to the flat profile and to the call tree. */
static void add(struct pp_top_live *live, uint64_t count)
{
	uint32_t program, entry, node, outer, f[2];

	assert_int_equal(pp_top_program(live, "/bin/prog", &program), 0);
	assert_int_equal(pp_top_reason(&live->functions, "outer", &f[0]), 0);
	assert_int_equal(pp_top_reason(&live->functions, "inner", &f[1]), 0);
	assert_int_equal(pp_top_entry(live, program, f[1], &entry), 0);
	assert_int_equal(pp_top_add_entry(live, entry, count), 0);
	assert_int_equal(pp_top_program_node(live, program, &node), 0);
	assert_int_equal(pp_top_node(live, node, f[0], &outer), 0);
	assert_int_equal(pp_top_node(live, outer, f[1], &node), 0);
	assert_int_equal(pp_top_add_node(live, node, count), 0);
	assert_int_equal(pp_top_add_node(live, outer, 1), 0);
}

static void test_pictures_have_latest_samples(void **state)
{
	struct pp_top_live live;
	struct pp_top_snapshot p;

	(void)state;
	assert_int_equal(pp_top_live_init(&live, NULL, PP_DEMANGLE_NORMAL), 0);
	for (int i = 0; i < 3; i++) {
		add(&live, 4);
		add(&live, i);
		p = (struct pp_top_snapshot){ 0 };
		assert_int_equal(pp_top_live_drain(&live, &p), 0);
		assert_int_equal(p.total, 4 + i);
		assert_int_equal(p.nr_entries, 1);
		assert_string_equal(p.entries[0].function, "inner");
		assert_string_equal(p.entries[0].program, "/bin/prog");
		assert_int_equal(p.nr_nodes, 4);
		assert_string_equal(p.nodes[1].name, "/bin/prog");
		assert_string_equal(p.nodes[2].name, "outer");
		assert_string_equal(p.nodes[3].name, "inner");
		assert_int_equal(p.nodes[3].parent, 2);
		assert_int_equal(p.nodes[2].self, 2);
		assert_int_equal(p.nodes[3].self, 4 + i);
		assert_int_equal(p.nodes[0].total, 6 + i);
		pp_top_snapshot_release(&p);
	}
	add(&live, 4);
	pp_top_live_clear(&live);
	/* After the counts are cleared, the next snapshot is empty. */
	assert_int_equal(pp_top_live_drain(&live, &p), 0);
	assert_int_equal(p.total, 0);
	assert_int_equal(p.nr_entries, 0);
	assert_int_equal(p.nr_nodes, 0);
	pp_top_snapshot_release(&p);
	pp_top_live_release(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_numbers_keys),
		cmocka_unit_test(test_pictures_have_latest_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
