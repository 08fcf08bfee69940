// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_view.c -- tests the rows of an annotated listing in optop: kinds of rows, order of the
 * hottest rows, folding, search, and drawn jumps.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/tool/view.h"

/* A listing as `opannotate --source --assembly` prints it: ten columns of counts, then the text. */
static const char listing[] =
	"/* a header\n"
	"          :\n"				/* 1 */
	"          :0000000000401126 <hot>: /* hot total: 9 */\n"
	"          :	if (i % 3)\n"		/* 3 */
	"2  20.0   :  401126:\tmov    %rax,%rbx\n"
	"          :  401129:\tje     401140 <hot+0x1a>\n"	/* 5 */
	"          :	s += Two * 2;\n"
	"5  50.0   :  401130:\tadd    $0x401140,%rax\n"		/* 7 */
	"1  10.0   :  401140:\tjmp    401126 <hot>\n"
	"          :  401150:\tcall   401126 <hot>\n"		/* 9 */
	"          :\n"
	"          :0000000000401160 <other>: /* other total: 1 */\n"	/* 11 */
	"1  10.0   :  401160:\tjne    401126 <hot>\n";

static void make_view(struct pp_view *view)
{
	static const uint64_t totals[] = { 10 };

	assert_int_equal(pp_view_init(view, strdup(listing), strlen(listing), 10, true, totals, 1), 0);
	assert_int_equal(view->nr, 13);
}

static void test_row_kinds_are_recognised(void **state)
{
	struct pp_view v;

	(void)state;
	make_view(&v);
	assert_int_equal(v.rows[0].kind, PP_VIEW_PLAIN);
	assert_int_equal(v.rows[1].kind, PP_VIEW_PLAIN);
	assert_int_equal(v.rows[2].kind, PP_VIEW_FUNCTION);
	assert_int_equal(v.rows[3].kind, PP_VIEW_SOURCE);
	assert_int_equal(v.rows[4].kind, PP_VIEW_INSN);
	assert_int_equal(v.rows[4].count, 2);
	assert_int_equal(v.rows[4].address, 0x401126);
	assert_int_equal(v.rows[5].target, 8);
	assert_int_equal(v.rows[7].target, PP_VIEW_NONE);
	assert_int_equal(v.rows[8].target, 4);
	/* A call, and a jump to another function, have no target row. */
	assert_int_equal(v.rows[9].target, PP_VIEW_NONE);
	assert_int_equal(v.rows[12].target, PP_VIEW_NONE);
	pp_view_release(&v);
	pp_view_release(&v);
}

static void test_hottest_rows_are_visited_in_order(void **state)
{
	struct pp_view v;

	(void)state;
	make_view(&v);
	assert_int_equal(pp_view_hot(&v, 0, 1), 7);
	assert_int_equal(pp_view_hot(&v, 7, 1), 4);
	assert_int_equal(pp_view_hot(&v, 4, 1), 8);
	assert_int_equal(pp_view_hot(&v, 8, 1), 12);
	assert_int_equal(pp_view_hot(&v, 12, 1), 12);
	assert_int_equal(pp_view_hot(&v, 4, -1), 7);
	assert_int_equal(pp_view_hot(&v, 7, -1), 7);
	pp_view_release(&v);
}

/* If instructions are folded, the samples of instructions are counted for the source line above
 * them. */
static void test_folded_instructions_count_for_source_line(void **state)
{
	struct pp_view v;

	(void)state;
	make_view(&v);
	assert_true(pp_view_has_unfolded(&v));
	assert_int_equal(pp_view_fold_of(&v, 8), 6);
	assert_int_equal(pp_view_fold_of(&v, 6), 6);
	assert_int_equal(pp_view_fold_of(&v, 0), PP_VIEW_NONE);
	pp_view_fold(&v, 6, true);
	assert_int_equal(v.nr_shown, 10);
	assert_int_equal(v.rows[6].count, 6);
	assert_int_equal(pp_view_hot(&v, 0, 1), 6);
	assert_int_equal(pp_view_place(&v, 8), 6);
	pp_view_fold(&v, PP_VIEW_NONE, true);
	assert_false(pp_view_has_unfolded(&v));
	assert_int_equal(v.nr_shown, 7);
	assert_int_equal(v.rows[3].count, 2);
	pp_view_fold(&v, PP_VIEW_NONE, false);
	assert_int_equal(v.nr_shown, 13);
	assert_int_equal(v.rows[6].count, 0);
	pp_view_release(&v);
}

static void test_search_finds_next_row(void **state)
{
	struct pp_view v;

	(void)state;
	make_view(&v);
	assert_int_equal(pp_view_search(&v, 0, "TWO", false), 6);
	assert_int_equal(pp_view_search(&v, 6, "two", false), 6);
	assert_int_equal(pp_view_search(&v, 8, "mov", false), 4);
	assert_int_equal(pp_view_search(&v, 8, "hot", true), 5);
	assert_int_equal(pp_view_search(&v, 0, "hot", true), 12);
	assert_int_equal(pp_view_search(&v, 0, "no such text", false), PP_VIEW_NONE);
	assert_int_equal(pp_view_search(&v, 0, "", false), PP_VIEW_NONE);
	pp_view_release(&v);
}

static void test_jumps_are_drawn(void **state)
{
	struct pp_view_jumps jumps[13];
	struct pp_view v;

	(void)state;
	make_view(&v);
	pp_view_draw_jumps(&v, 0, 13, 5, jumps);
	assert_string_equal(jumps[3].lanes, "    ");
	assert_string_equal(jumps[4].lanes, " ,->");
	assert_string_equal(jumps[5].lanes, " |,-");
	assert_string_equal(jumps[7].lanes, " || ");
	assert_string_equal(jumps[8].lanes, " ``>");
	/* the target of the jump is below the screen */
	pp_view_draw_jumps(&v, 7, 3, 8, jumps);
	assert_string_equal(jumps[0].lanes, "  | ");
	assert_string_equal(jumps[1].lanes, "  `-");
	pp_view_fold(&v, 6, true);
	pp_view_draw_jumps(&v, 0, 10, 5, jumps);
	for (int i = 0; i < 10; i++)
		assert_string_equal(jumps[i].lanes, "    ");
	pp_view_release(&v);
}

/*
 * In a listing without instructions, a source line that looks like an address is still a source
 * line.
 */
static void test_source_line_like_address_stays_source(void **state)
{
	static const char text[] = "1  10.0   :deadbeef:\tx++;\n          :\n3  30.0   :y++;\nwithout columns\nno end";
	static const uint64_t totals[] = { 10 };
	struct pp_view v;

	(void)state;
	assert_int_equal(pp_view_init(&v, strdup(text), strlen(text), 10, false, totals, 1), 0);
	assert_int_equal(v.nr, 4);
	assert_int_equal(v.rows[0].kind, PP_VIEW_SOURCE);
	assert_int_equal(v.rows[0].count, 1);
	assert_int_equal(v.rows[3].kind, PP_VIEW_PLAIN);
	assert_int_equal(pp_view_hot(&v, 1, 1), 2);
	pp_view_release(&v);
	assert_int_equal(pp_view_init(&v, strdup(""), 0, 10, false, totals, 1), 0);
	assert_int_equal(v.nr, 0);
	assert_int_equal(pp_view_hot(&v, 0, 1), PP_VIEW_NONE);
	assert_int_equal(pp_view_search(&v, 0, "x", false), PP_VIEW_NONE);
	pp_view_release(&v);
}

/* Rows are sorted by the class of samples that the user selects. */
static void test_selected_class_sorts_rows(void **state)
{
	static const char text[] = "9 90.0 1 10.0 :a\n1 10.0 9 90.0 :b\n              :  5 6 7 8\n";
	static const uint64_t totals[] = { 10, 10 };
	struct pp_view v;

	(void)state;
	assert_int_equal(pp_view_init(&v, strdup(text), strlen(text), 14, false, totals, 2), 0);
	assert_int_equal(pp_view_hot(&v, 2, 1), 0);
	pp_view_choose(&v, 1);
	assert_int_equal(v.rows[0].count, 1);
	assert_int_equal(v.rows[1].count, 9);
	assert_int_equal(v.rows[2].count, 0);
	assert_int_equal(pp_view_hot(&v, 2, 1), 1);
	pp_view_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_kinds_are_recognised),
		cmocka_unit_test(test_hottest_rows_are_visited_in_order),
		cmocka_unit_test(test_folded_instructions_count_for_source_line),
		cmocka_unit_test(test_search_finds_next_row),
		cmocka_unit_test(test_jumps_are_drawn),
		cmocka_unit_test(test_source_line_like_address_stays_source),
		cmocka_unit_test(test_selected_class_sorts_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
