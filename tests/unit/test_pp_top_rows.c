// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_top_rows.c -- tests the rows of optop's views: sums, order, filter, and expanded nodes.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/top/rows.h"

static const char prog[] = "/bin/prog", other[] = "/bin/other", libc[] = "/lib/libc.so",
		  kernel[] = "vmlinux", name_main[] = "main", name_read[] = "read",
		  name_copy[] = "copy_page";

static struct pp_top_entry entries[] = {
	{ prog, name_main, prog, 5 },
	{ prog, name_read, libc, 2 },
	{ other, name_read, libc, 4 },
	{ other, name_copy, kernel, 9 },
};

/* a tree of call paths with samples: prog 1 (main 2 (read 1, copy_page 6), other 3) */
static struct pp_top_node nodes[] = {
	{ .name = "all" },
	{ .name = prog, .parent = 0, .self = 1 },
	{ .name = name_main, .image = prog, .parent = 1, .self = 2 },
	{ .name = other, .parent = 0, .self = 3 },
	{ .name = name_read, .image = libc, .parent = 2, .self = 1 },
	{ .name = name_copy, .image = kernel, .is_kernel = true, .parent = 2, .self = 6 },
};

static struct pp_top_snapshot make_snapshot(void)
{
	struct pp_top_snapshot p = {
		.total = 20, .entries = entries, .nr_entries = 4, .nodes = nodes, .nr_nodes = 6,
		.has_paths = true,
	};

	pp_top_snapshot_sum(&p);
	return p;
}

/*
 * Check the rows of a view. @wanted: a line "COUNT NAME" for each row, indented by one blank for
 * each level of the tree.
 */
static void check(const struct pp_top_view *view, const char *wanted)
{
	struct pp_top_snapshot p = make_snapshot();
	struct pp_top_rows rows;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(pp_top_rows_make(&rows, &p, view), 0);
	for (size_t i = 0; i < rows.nr; i++)
		fprintf(f, "%*s%d %s\n", rows.items[i].depth, "", (int)rows.items[i].count,
			rows.items[i].name);
	fclose(f);
	assert_string_equal(text, wanted);
	free(text);
	pp_top_rows_release(&rows);
}

static void test_flat_rows_are_sorted_and_filtered(void **state)
{
	struct pp_top_view view = { .by = PP_TOP_SYMBOLS };

	(void)state;
	check(&view, "9 copy_page\n6 read\n5 main\n");
	view.order = PP_TOP_BY_NAME;
	check(&view, "9 copy_page\n5 main\n6 read\n");
	view.order = PP_TOP_BY_IMAGE;
	check(&view, "5 main\n6 read\n9 copy_page\n");
	view.order = PP_TOP_BY_COUNT;
	view.program = (char *)prog;
	check(&view, "5 main\n2 read\n");
	view.program = NULL;
	strcpy(view.filter, "LIBC");
	check(&view, "6 read\n");
	strcpy(view.filter, "other");
	check(&view, "9 copy_page\n4 read\n");
	view.by = PP_TOP_PROGRAMS;
	check(&view, "13 /bin/other\n");
	*view.filter = '\0';
	check(&view, "13 /bin/other\n7 /bin/prog\n");
}

static void test_tree_rows_are_sorted_and_filtered(void **state)
{
	struct pp_top_view view = { .by = PP_TOP_PATHS };
	struct pp_top_snapshot p = make_snapshot();
	struct pp_top_rows rows;

	(void)state;
	check(&view, "10 /bin/prog\n 9 main\n  6 copy_page\n  1 read\n3 /bin/other\n");
	view.order = PP_TOP_BY_NAME;
	check(&view, "3 /bin/other\n10 /bin/prog\n 9 main\n  6 copy_page\n  1 read\n");
	view.order = PP_TOP_BY_COUNT;
	strcpy(view.filter, "READ");
	check(&view, "10 /bin/prog\n 9 main\n  1 read\n");
	strcpy(view.filter, "main");
	check(&view, "10 /bin/prog\n 9 main\n  6 copy_page\n  1 read\n");
	strcpy(view.filter, "nothing");
	check(&view, "");
	*view.filter = '\0';

	/* A node that is collapsed and expanded again has the same rows as before. */
	assert_int_equal(pp_top_rows_make(&rows, &p, &view), 0);
	assert_true(rows.items[1].has_more && rows.items[1].is_open);
	assert_string_equal(rows.items[1].program, prog);
	assert_int_equal(rows.shown, 13);
	assert_int_equal(pp_top_view_toggle(&view, rows.items[1].path), 0);
	check(&view, "10 /bin/prog\n 9 main\n3 /bin/other\n");
	assert_int_equal(pp_top_view_toggle(&view, rows.items[1].path), 0);
	check(&view, "10 /bin/prog\n 9 main\n  6 copy_page\n  1 read\n3 /bin/other\n");
	pp_top_rows_release(&rows);
	pp_top_view_release(&view);
}

static void test_rare_nodes_are_collapsed(void **state)
{
	struct pp_top_node few[] = {
		{ .name = "all" },
		{ .name = "/bin/rare", .parent = 0 },
		{ .name = "main", .parent = 1, .self = 4 },
	};
	struct pp_top_snapshot p = { .total = 100, .nodes = few, .nr_nodes = 3 };
	struct pp_top_view view = { .by = PP_TOP_PATHS };
	struct pp_top_rows rows;

	(void)state;
	pp_top_snapshot_sum(&p);
	assert_int_equal(pp_top_rows_make(&rows, &p, &view), 0);
	assert_int_equal(rows.nr, 1);
	assert_true(rows.items[0].has_more && !rows.items[0].is_open);
	pp_top_rows_release(&rows);
	view.all_open = true;
	assert_int_equal(pp_top_rows_make(&rows, &p, &view), 0);
	assert_int_equal(rows.nr, 2);
	pp_top_rows_release(&rows);
}

static void test_empty_picture_has_no_rows(void **state)
{
	struct pp_top_snapshot p = { .total = 0 };
	struct pp_top_rows rows;

	(void)state;
	for (int by = 0; by < PP_TOP_NR_BY; by++) {
		const struct pp_top_view view = { .by = by };

		assert_int_equal(pp_top_rows_make(&rows, &p, &view), 0);
		assert_int_equal(rows.nr, 0);
		pp_top_rows_release(&rows);
	}
}

static void test_view_names_are_parsed(void **state)
{
	enum pp_top_by by = PP_TOP_FLAME;

	(void)state;
	assert_true(pp_top_by_parse(&by, "programs") && by == PP_TOP_PROGRAMS);
	assert_true(pp_top_by_parse(&by, "symbol") && by == PP_TOP_SYMBOLS);
	assert_false(pp_top_by_parse(&by, "symbo"));
	assert_false(pp_top_by_parse(&by, ""));
	assert_int_equal(by, PP_TOP_SYMBOLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat_rows_are_sorted_and_filtered),
				cmocka_unit_test(test_tree_rows_are_sorted_and_filtered),
		cmocka_unit_test(test_rare_nodes_are_collapsed),
				cmocka_unit_test(test_empty_picture_has_no_rows),
		cmocka_unit_test(test_view_names_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
