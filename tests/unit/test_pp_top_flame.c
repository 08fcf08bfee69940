// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_top_flame.c -- tests the layout of optop's flame graph: widths, order, zoom, and limits.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/base/hash.h"
#include "pp/top/flame.h"

/* a tree of call paths with samples: prog (main (read 30, copy 60), init 10) */
static struct pp_top_node nodes[] = {
	{ .name = "all" },
	{ .name = "prog", .parent = 0 },
	{ .name = "main", .parent = 1 },
	{ .name = "read", .parent = 2, .self = 30 },
	{ .name = "init", .parent = 1, .self = 10 },
	{ .name = "copy", .parent = 2, .self = 60 },
};

static struct pp_top_snapshot make_snapshot(void)
{
	struct pp_top_snapshot p = { .total = 100, .nodes = nodes, .nr_nodes = 6 };

	pp_top_snapshot_sum(&p);
	return p;
}

/* Check the boxes of the flame graph. @wanted: a line "DEPTH:X+WIDTH NAME" for each box. */
static void check(uint64_t zoom, unsigned int columns, unsigned int lines, const char *wanted)
{
	struct pp_top_snapshot p = make_snapshot();
	struct pp_top_flame flame;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(pp_top_flame_make(&flame, &p, zoom, columns, lines), 0);
	for (size_t i = 0; i < flame.nr; i++)
		fprintf(f, "%u:%u+%u %s\n", flame.cells[i].depth, flame.cells[i].x,
			flame.cells[i].width, nodes[flame.cells[i].node].name);
	fclose(f);
	assert_string_equal(text, wanted);
	free(text);
	pp_top_flame_release(&flame);
}

static uint64_t path_to(uint32_t node)
{
	struct pp_top_snapshot p = make_snapshot();
	struct pp_top_flame flame;
	uint64_t path;

	assert_int_equal(pp_top_flame_make(&flame, &p, 0, 10, 10), 0);
	path = flame.paths[node];
	pp_top_flame_release(&flame);
	return path;
}

static void test_cell_widths_follow_samples(void **state)
{
	(void)state;
	check(OP_HASH_BEGIN, 100, 9, "0:0+100 all\n1:0+100 prog\n2:0+10 init\n2:10+90 main\n"
				     "3:10+60 copy\n3:70+30 read\n");
	check(OP_HASH_BEGIN, 100, 2, "0:0+100 all\n1:0+100 prog\n");
	check(OP_HASH_BEGIN, 5, 9, "0:0+5 all\n1:0+5 prog\n2:0+5 main\n3:0+3 copy\n3:3+2 read\n");
	check(OP_HASH_BEGIN, 0, 9, "");
	/* If the node to zoom to does not exist any more, the whole graph is shown. */
	check(12345, 10, 1, "0:0+10 all\n");
}

static void test_zoom_shows_subtree(void **state)
{
	(void)state;
	check(path_to(2), 90, 9, "0:0+90 main\n1:0+60 copy\n1:60+30 read\n");
	check(path_to(3), 7, 9, "0:0+7 read\n");
	assert_true(path_to(0) == OP_HASH_BEGIN);
}

static void test_empty_picture_has_no_cells(void **state)
{
	struct pp_top_snapshot p = { .total = 0 };
	struct pp_top_flame flame;

	(void)state;
	assert_int_equal(pp_top_flame_make(&flame, &p, OP_HASH_BEGIN, 80, 24), 0);
	assert_int_equal(flame.nr, 0);
	pp_top_flame_release(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cell_widths_follow_samples),
		cmocka_unit_test(test_zoom_shows_subtree),
		cmocka_unit_test(test_empty_picture_has_no_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
