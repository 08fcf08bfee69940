// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_paths.c -- tests trees of call paths: look-up of nodes by their contents, folded
 * recursion, limited depth, sums and order.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "pp/base/block.h"
#include "pp/paths/nodes.h"
#include "pp/profile/arcs.h"
#include "pp/profile/profile.h"
#include "pp/profile/sort.h"

struct world {
	struct pp_path_nodes nodes;
	struct pp_block *blocks;
	/* key of each frame of a path: the program a, then the functions b, c and d */
	uint32_t place[4];
};

static void setup(struct world *w, size_t nr_counts)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	*w = (struct world){ .blocks = NULL };
	assert_int_equal(pp_path_nodes_init(&w->nodes, &w->blocks, nr_counts), 0);
	for (int i = 0; i < 4; i++) {
		const struct pp_place place = {
			.name = names[i], .code = PP_NO_CODE, .kind = i ? PP_PLACE_INLINED : PP_PLACE_PROGRAM,
		};

		assert_int_equal(pp_path_place_add(&w->nodes, &place, &w->place[i]), 0);
	}
}

static void release(struct world *w)
{
	pp_path_nodes_release(&w->nodes);
	pp_block_free(w->blocks);
}

/* Add @count samples of @class to the path @path, such as "abc". Return the path's last node. */
static uint32_t add_samples(struct world *w, const char *path, size_t class, uint64_t count)
{
	uint32_t node = PP_PATH_ROOT;
	uint64_t *counts;

	for (; *path; path++)
		assert_int_equal(pp_path_child(&w->nodes, node, w->place[*path - 'a'], &node), 0);
	counts = pp_path_counts(&w->nodes, node);
	assert_non_null(counts);
	counts[class] += count;
	return node;
}

static void test_recursive_calls_share_node(void **state)
{
	struct world w;
	uint32_t abc;

	(void)state;
	setup(&w, 1);
	w.nodes.fold_recursion = true;
	abc = add_samples(&w, "abc", 0, 1);
	assert_int_equal(add_samples(&w, "abcc", 0, 1), abc);
	assert_int_equal(add_samples(&w, "abcbc", 0, 1), abc);
	assert_int_not_equal(add_samples(&w, "abcd", 0, 1), abc);
	assert_int_equal(add_samples(&w, "abcdb", 0, 1), add_samples(&w, "ab", 0, 1));
	release(&w);
	setup(&w, 1);
	assert_int_not_equal(add_samples(&w, "abcc", 0, 1), add_samples(&w, "abc", 0, 1));
	release(&w);
}

static void test_deep_paths_are_cut(void **state)
{
	uint32_t node = PP_PATH_ROOT, last = PP_PATH_ROOT;
	struct world w;

	(void)state;
	setup(&w, 1);
	for (int i = 0; i < 3 * PP_PATH_MAX_DEPTH; i++) {
		last = node;
		assert_int_equal(pp_path_child(&w.nodes, node, w.place[1 + i % 2], &node), 0);
	}
	assert_int_equal(node, last);
	assert_int_equal(pp_path_place(w.nodes.paths, node)->kind, PP_PLACE_TOO_DEEP);
	assert_int_equal(w.nodes.paths->nodes[node].depth, PP_PATH_MAX_DEPTH + 1);
	release(&w);
}

/* Write the names and totals of the nodes to @buf, in the order in which the tree is walked. */
static void print_walk(char *buf, size_t size, const struct pp_paths *paths, bool skip_c)
{
	struct pp_path_walk *walk = malloc(sizeof(*walk));
	size_t n = 0;

	assert_non_null(walk);
	pp_path_walk_begin(walk, paths);
	buf[0] = '\0';
	while (pp_path_walk_next(walk)) {
		const struct pp_path_node *node = &paths->nodes[walk->nodes[walk->depth]];

		assert_int_equal(node->depth, walk->depth);
		assert_int_equal(walk->nodes[walk->depth - 1], node->parent);
		n += snprintf(buf + n, size - n, "%s%d/%d ", paths->places[node->place].name,
			      (int)node->total[0], (int)node->total[1]);
		if (skip_c && !strcmp(paths->places[node->place].name, "c"))
			pp_path_walk_skip(walk);
	}
	free(walk);
}

static void test_node_totals_and_order(void **state)
{
	uint64_t totals[] = { 110, 1 };
	struct pp_profile profile = { .nr_classes = 2, .nr_counts = 2, .totals = totals };
	struct world w;
	char buf[200];

	(void)state;
	setup(&w, 2);
	add_samples(&w, "ab", 0, 5);
	add_samples(&w, "abd", 1, 1);
	add_samples(&w, "ac", 0, 4);
	add_samples(&w, "acd", 0, 96);
	add_samples(&w, "acb", 0, 3);
	add_samples(&w, "ad", 0, 2);
	assert_int_equal(pp_paths_finish(w.nodes.paths, &profile, &w.blocks), 0);
	print_walk(buf, sizeof(buf), w.nodes.paths, false);
	assert_string_equal(buf, "a110/1 c103/0 d96/0 b3/0 b5/1 d0/1 d2/0 ");
	print_walk(buf, sizeof(buf), w.nodes.paths, true);
	assert_string_equal(buf, "a110/1 c103/0 b5/1 d0/1 d2/0 ");
	/*
	 * A node is printed if its share of any class reaches the threshold: these nodes have 100 %
	 * of the second class, although less than the threshold of the first class.
	 */
	profile.paths = w.nodes.paths;
	pp_profile_threshold(&profile, 50);
	print_walk(buf, sizeof(buf), w.nodes.paths, false);
	assert_string_equal(buf, "a110/1 c103/0 d96/0 b5/1 d0/1 ");
	release(&w);
}

static void test_many_children_are_found(void **state)
{
	struct world w;
	uint32_t node;

	(void)state;
	setup(&w, 1);
	for (uint32_t i = 0; i < 5000; i++) {
		const struct pp_place place = { .name = "", .code = PP_NO_CODE, .kind = PP_PLACE_INLINED };
		uint32_t number;

		assert_int_equal(pp_path_place_add(&w.nodes, &place, &number), 0);
		assert_int_equal(pp_path_child(&w.nodes, PP_PATH_ROOT, number, &node), 0);
		assert_int_equal(node, i + 1);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		assert_int_equal(pp_path_child(&w.nodes, PP_PATH_ROOT, w.place[3] + 1 + i, &node), 0);
		assert_int_equal(node, i + 1);
	}
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursive_calls_share_node),
		cmocka_unit_test(test_deep_paths_are_cut),
		cmocka_unit_test(test_node_totals_and_order),
		cmocka_unit_test(test_many_children_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
