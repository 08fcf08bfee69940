// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_inline_tree.c -- tests the counts of source lines in a tree of inlined calls: the largest
 * count of a line, the order of lines, and totals. */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/format/inline_tree.h"

static const struct pp_spot nowhere;

static struct pp_inline_node *add(struct pp_inline_tree *tree, struct pp_inline_node *outer,
				  struct pp_spot call, const char *name)
{
	struct pp_inline_node *node = pp_inline_node(tree, outer, call, name);

	assert_non_null(node);
	return node;
}

static void add_line(struct pp_inline_node *node, struct pp_spot spot, uint64_t count)
{
	assert_int_equal(pp_inline_line(node, spot, count), 0);
}

static void equal_calls_share_node(void **state)
{
	struct pp_inline_tree tree = { .strings = NULL };
	struct pp_inline_node *f, *call;

	(void)state;
	f = add(&tree, &tree.root, nowhere, "f");
	call = add(&tree, f, (struct pp_spot){ 3, 1 }, "g");
	assert_ptr_equal(add(&tree, &tree.root, nowhere, "f"), f);
	assert_ptr_equal(add(&tree, f, (struct pp_spot){ 3, 1 }, "g"), call);
	assert_ptr_not_equal(add(&tree, f, (struct pp_spot){ 3, 0 }, "g"), call);
	assert_ptr_not_equal(add(&tree, f, (struct pp_spot){ 3, 1 }, "h"), call);
	assert_ptr_equal(f->calls[1], call);
	pp_inline_tree_release(&tree);
	pp_inline_tree_release(&tree);
}

static void line_keeps_largest_count(void **state)
{
	struct pp_inline_tree tree = { .strings = NULL };
	struct pp_inline_node *f;

	(void)state;
	f = add(&tree, &tree.root, nowhere, "f");
	add_line(f, (struct pp_spot){ 2, 0 }, 5);
	add_line(f, (struct pp_spot){ 1, 7 }, 0);
	add_line(f, (struct pp_spot){ 2, 0 }, 9);
	add_line(f, (struct pp_spot){ 2, 0 }, 8);
	assert_int_equal(f->nr_lines, 2);
	assert_int_equal(f->lines[0].spot.discriminator, 7);
	assert_int_equal(f->lines[0].count, 0);
	assert_int_equal(f->lines[1].count, 9);
	pp_inline_tree_release(&tree);
}

static void functions_are_sorted_by_total(void **state)
{
	struct pp_inline_tree tree = { .strings = NULL };
	struct pp_inline_node *a, *b, *c;

	(void)state;
	a = add(&tree, &tree.root, nowhere, "a");
	c = add(&tree, &tree.root, nowhere, "c");
	b = add(&tree, &tree.root, nowhere, "b");
	add_line(a, nowhere, 1);
	add_line(c, nowhere, 2);
	add_line(b, nowhere, 1);
	add_line(add(&tree, b, (struct pp_spot){ 4, 0 }, "inner"), nowhere, 10);
	pp_inline_tree_finish(&tree);
	assert_ptr_equal(tree.root.calls[0], b);
	assert_ptr_equal(tree.root.calls[1], c);
	assert_ptr_equal(tree.root.calls[2], a);
	assert_int_equal(b->total, 11);
	assert_int_equal(b->calls[0]->total, 10);
	assert_int_equal(tree.root.total, 14);
	pp_inline_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_calls_share_node),
		cmocka_unit_test(line_keeps_largest_count),
		cmocka_unit_test(functions_are_sorted_by_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
