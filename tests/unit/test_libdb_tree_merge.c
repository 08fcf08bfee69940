// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_tree_merge.c -- tests merging of call path trees, and folding, which reduces a tree to
 * its frequent paths: sums are exact, and frequent paths are kept.
 */
#include "config.h"
#include "tests/unit/paths.h"

#include <errno.h>

#define GENERATION 5

static struct tree *new_tree(void)
{
	struct tree *t = NULL;

	assert_int_equal(tree_open(&t, memfd_create("tree", 0), ODB_WRITE, GENERATION), 0);
	return t;
}

/* Return the node of the path of @depth frames, after adding @count to the node. Create missing
 * nodes. */
static uint32_t path(struct tree *t, int depth, const uint32_t *frames, uint64_t count)
{
	uint32_t node = TREE_ROOT;

	for (int i = 0; i < depth; i++)
		assert_int_equal(tree_child(t, node, frames[i], &node), 0);
	assert_int_equal(tree_add(t, node, count), 0);
	return node;
}

#define PATH(t, count, ...) path(t, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, \
				 (uint32_t[]){ __VA_ARGS__ }, count)

static uint64_t count_of(struct tree *t, uint32_t number)
{
	struct tree_node node;

	assert_true(tree_node(t, number, &node));
	return node.count;
}

#define COUNT(t, ...) count_of(t, PATH(t, 0, __VA_ARGS__))

static struct tree_totals read_totals(const struct tree *t)
{
	struct tree_totals books;

	assert_int_equal(tree_totals(t, &books), 0);
	return books;
}

static int add_hundred(void *context, uint32_t frame, uint32_t *ret)
{
	if (frame == 99)
		return -ENOENT;
	++*(int *)context;
	*ret = frame + 100;
	return 0;
}

static void test_merged_tree_has_sums(void **state)
{
	struct tree *a = new_tree(), *b = new_tree();
	int calls = 0;

	(void)state;
	PATH(a, 3, 10, 11, 12);
	PATH(a, 4, 10, 11, FRAME_FOLDED);
	PATH(a, 1, FRAME_FOLDED);
	PATH(b, 5, 10, 13);
	PATH(b, 6, 10, 11, 12);
	PATH(b, 7, 10, 11, FRAME_FOLDED);
	assert_int_equal(tree_merge(a, b, NULL, NULL), 0);
	assert_true(read_totals(a).count == 26);
	assert_true(read_totals(a).folded == 12);
	assert_true(COUNT(a, 10, 11, 12) == 9);
	assert_true(COUNT(a, 10, 11, FRAME_FOLDED) == 11);
	assert_true(COUNT(a, 10, 13) == 5);
	assert_int_equal(tree_merge(a, b, add_hundred, &calls), 0);
	assert_int_equal(calls, 4);
	assert_true(COUNT(a, 110, 111, 112) == 6);
	assert_true(COUNT(a, 110, 111, FRAME_FOLDED) == 7);
	assert_true(read_totals(a).count == 44);
	PATH(b, 1, 99);
	assert_int_equal(tree_merge(a, b, add_hundred, &calls), -ENOENT);
	tree_close(a);
	tree_close(b);
}

static void test_fold_keeps_frequent_paths(void **state)
{
	struct tree *t = new_tree(), *to = new_tree();

	(void)state;
	PATH(t, 100, 10, 11);
	PATH(t, 50, 10, 12);
	PATH(t, 1, 10, 13, 14, 15);
	PATH(t, 2, 10, 13, 16);
	PATH(t, 9, 20, FRAME_FOLDED);
	PATH(t, 1, 20);
	assert_int_equal(tree_fold(to, t, 3), -EINVAL);
	/*
	 * Seven nodes remain: the root's [folded] child; 10, 11, 12; the [folded] child of 10; 20;
	 * the [folded] child of 20.
	 */
	assert_int_equal(tree_fold(to, t, 7), 0);
	assert_int_equal(read_totals(to).nodes, 7);
	assert_true(read_totals(to).count == 163);
	assert_true(read_totals(to).folded == 12);
	assert_true(COUNT(to, 10, 11) == 100);
	assert_true(COUNT(to, 10, 12) == 50);
	assert_true(COUNT(to, 10, FRAME_FOLDED) == 3);
	assert_true(COUNT(to, 20, FRAME_FOLDED) == 9);
	assert_true(COUNT(to, 20) == 1);
	assert_int_equal(read_totals(to).nodes, 7);	/* the look-up has not created a node */
	tree_close(to);
	to = new_tree();
	/* the tree is not reduced, because all nodes fit */
	assert_int_equal(tree_fold(to, t, 100), 0);
	assert_int_equal(read_totals(to).nodes, read_totals(t).nodes);
	assert_true(COUNT(to, 10, 13, 14, 15) == 1);
	tree_close(to);
	tree_close(t);
}

/*
 * Check that each kept node has its former total: its own count, plus counts folded below it, plus
 * its children's totals.
 */
static void expect_totals(struct tree *from, struct tree *to, uint32_t to_node, uint32_t from_node,
			  const uint64_t *from_total, const uint64_t *to_total, int depth)
{
	uint32_t end = tree_end(to), number;
	struct tree_node node;

	for (uint32_t i = TREE_FIRST; i < end; i++) {
		assert_true(tree_node(to, i, &node));
		if (node.parent != to_node || node.frame == FRAME_FOLDED || depth > 3)
			continue;
		assert_int_equal(tree_child(from, from_node, node.frame, &number), 0);
		assert_true(from_total[number] == to_total[i]);
		expect_totals(from, to, i, number, from_total, to_total, depth + 1);
	}
}

static uint64_t *totals(const struct tree *t)
{
	uint64_t *total = calloc(tree_end(t), sizeof(*total));
	struct tree_node node;

	assert_non_null(total);
	for (uint32_t i = tree_end(t); i-- > TREE_FIRST;) {
		assert_true(tree_node(t, i, &node));
		total[i] += node.count;
		total[node.parent] += total[i];
	}
	return total;
}

static void test_fold_to_each_size(void **state)
{
	struct frames *f;
	struct tree *t;
	const uint64_t nr = 3000;
	uint32_t sizes[] = { 4, 5, 17, 100, 101, 1000, 2500, 1000000 };

	(void)state;
	assert_int_equal(frames_open(&f, memfd_create("frames", 0), ODB_WRITE, 1), 0);
	assert_int_equal(tree_open(&t, memfd_create("tree", 0), ODB_WRITE, frames_generation(f)), 0);
	for (uint64_t n = 0; n < nr; n++)
		assert_int_equal(paths_add(f, t, n), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct tree *to = new_tree(), *again = new_tree();
		uint64_t *before = totals(t), *after;
		uint32_t all = read_totals(t).nodes;
		struct paths_seen seen;

		assert_int_equal(tree_fold(to, t, sizes[i]), 0);
		assert_true(read_totals(to).nodes <= sizes[i]);
		/*
		 * No more nodes are folded than necessary: keeping one more node would add at most
		 * two nodes.
		 */
		assert_true(read_totals(to).nodes + 1 >= sizes[i] || read_totals(to).nodes == all);
		paths_check(to, f, &seen);
		assert_true(seen.count == nr);
		assert_int_equal(seen.wrong + seen.orphans + seen.unknown, 0);
		after = totals(to);
		expect_totals(t, to, TREE_ROOT, TREE_ROOT, before, after, 0);
		/* If a folded tree is folded again, its folded nodes stay folded. */
		assert_int_equal(tree_fold(again, to, sizes[i] / 2 + 2), 0);
		assert_true(read_totals(again).count == nr);
		assert_true(read_totals(again).folded >= read_totals(to).folded);
		free(before);
		free(after);
		tree_close(to);
		tree_close(again);
	}
	tree_close(t);
	frames_close(f);
}

static struct frames *new_frames(void)
{
	struct frames *f = NULL;

	assert_int_equal(frames_open(&f, memfd_create("frames", 0), ODB_WRITE, 1), 0);
	return f;
}

/*
 * Create two nodes without counts, one below the other, at the end of a path that paths_add() may
 * extend.
 */
static void make_empty_path(struct frames *f, struct tree *t, uint32_t way, uint32_t *empty, uint32_t *below)
{
	struct frame frame = paths_frame(0, way);
	uint32_t number;

	assert_int_equal(frames_number(f, &frame, &number), 0);
	assert_int_equal(tree_child(t, TREE_ROOT, number, empty), 0);
	for (uint32_t i = 0; i < PATHS_DEPTH; i++) {
		frame = paths_frame(frame.offset, PATHS_WAYS - 1);
		assert_int_equal(frames_number(f, &frame, &number), 0);
		assert_int_equal(tree_child(t, *empty, number, below), 0);
		if (i + 1 < PATHS_DEPTH)
			*empty = *below;
	}
}

/*
 * Counts that are added while a tree is folded in steps, to existing, new and empty nodes, are
 * neither lost nor counted twice, and no wrong path appears.
 */
static void test_fold_in_steps(void **state)
{
	static const uint32_t works[] = { 1, 7, 1000 };

	for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
		struct frames *f = new_frames();
		struct tree *t = new_tree(), *to = new_tree();
		uint64_t taken = 0;
		struct paths_seen seen;
		struct tree_fold *fold;
		uint32_t empty, below, late, below_late;
		int more;

		(void)state;
		for (; taken < 3000; taken++)
			assert_int_equal(paths_add(f, t, taken), 0);
		/* two nodes without counts, one below the other */
		make_empty_path(f, t, 0, &empty, &below);
		make_empty_path(f, t, 1, &late, &below_late);
		assert_int_equal(tree_fold_begin(&fold, to, t, tree_end(t) / 2), 0);
		while ((more = tree_fold_step(fold, works[w])) > 0) {
			assert_int_equal(paths_add(f, t, taken), 0);
			taken++;
			assert_int_equal(tree_add(t, below, 1), 0);
			taken++;
		}
		assert_int_equal(more, 0);
		assert_int_equal(tree_add(t, empty, 5), 0);
		assert_int_equal(tree_add(t, late, 6), 0);
		assert_int_equal(tree_add(t, below_late, 7), 0);
		taken += 18;
		assert_int_equal(tree_fold_end(fold), 0);
		paths_check(to, f, &seen);
		assert_int_equal(seen.count, taken);
		assert_int_equal(seen.wrong, 0);
		assert_int_equal(seen.orphans, 0);
		tree_close(t);
		tree_close(to);
		frames_close(f);
	}
}

static void test_abandoned_fold_frees_memory(void **state)
{
	struct frames *f = new_frames();
	struct tree *t = new_tree(), *to = new_tree();
	struct tree_fold *fold;

	(void)state;
	for (uint64_t i = 0; i < 300; i++)
		assert_int_equal(paths_add(f, t, i), 0);
	for (uint32_t work = 0; work < 4000; work += 100) {
		assert_int_equal(tree_fold_begin(&fold, to, t, 50), 0);
		assert_true(tree_fold_step(fold, work) >= 0);
		tree_fold_cancel(fold);
	}
	tree_fold_cancel(NULL);
	assert_int_equal(read_totals(t).count, 300);
	tree_close(t);
	tree_close(to);
	frames_close(f);
}

/*
 * If a node in the middle of a path is damaged, the counts of the nodes below it are added to the
 * root's [lost] child, both in a merged and in a folded tree.
 */
static void test_nodes_below_damage_are_lost(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t, *to = new_tree(), *folded = new_tree();
	static const char zeros[16];
	uint32_t b;

	(void)state;
	assert_int_equal(tree_open(&t, dup(fd), ODB_WRITE, GENERATION), 0);
	PATH(t, 1, 10);
	b = PATH(t, 2, 10, 11);
	PATH(t, 4, 10, 11, 12, 13);
	PATH(t, 8, 10, 14);
	tree_close(t);
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), b * 16), sizeof(zeros));
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, GENERATION), 0);
	assert_int_equal(read_totals(t).damaged, 1);
	assert_int_equal(read_totals(t).orphans, 2);
	assert_true(read_totals(t).orphan_count == 4 && read_totals(t).count == 9);
	/* the damaged node's number is not assigned again */
	assert_int_not_equal(PATH(t, 16, 10, 11), b);
	PATH(t, 32, 10, 11, 12, 13);
	assert_true(read_totals(t).orphan_count == 4 && read_totals(t).count == 9 + 48);
	assert_int_equal(tree_merge(to, t, NULL, NULL), 0);
	assert_int_equal(tree_fold(folded, t, 5), 0);
	assert_true(read_totals(to).count == 61 && read_totals(folded).count == 61);
	assert_true(read_totals(to).lost == 4 && read_totals(folded).lost == 4);
	assert_true(COUNT(to, 10, 11, 12, 13) == 32);
	assert_int_equal(read_totals(to).orphans, 0);
	tree_close(t);
	tree_close(to);
	tree_close(folded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged_tree_has_sums),
		cmocka_unit_test(test_fold_keeps_frequent_paths),
		cmocka_unit_test(test_fold_to_each_size),
		cmocka_unit_test(test_fold_in_steps),
		cmocka_unit_test(test_abandoned_fold_frees_memory),
		cmocka_unit_test(test_nodes_below_damage_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
