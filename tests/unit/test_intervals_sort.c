// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_sort.c -- tests that sorting an interval's lists makes them canonical and keeps
 * their sums, and that invalid intervals are refused.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "tests/unit/intervals.h"

#define ROUNDS 300

static void test_sorting_keeps_sums(void **state)
{
	struct random r = { 1 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct model before = { 0 }, after = { 0 };
		struct itv v, again = { 0 };
		uint64_t samples = 0;
		int fd;

		random_interval(&r, &v);
		model_add_interval(&before, &v);
		assert_int_equal(itv_sort(&v), 0);
		assert_int_equal(itv_sum(&v), 0);
		model_add_interval(&after, &v);
		model_assert_equal(&before, &after);
		for (size_t n = 0; n < after.nr; n++)
			samples += after.lines[n].count;
		assert_true(v.accounting.samples + v.accounting.wakers + v.accounting.paths ==
			    samples);
		/* Sorting a sorted interval does not change it. */
		fd = write_interval(&v, 1);
		assert_int_equal(itv_file_read(&again, fd, ITV_READ_ALL, 1 << 20), 0);
		assert_int_equal(itv_sort(&again), 0);
		assert_same_files(&v, &again);
		close(fd);
		itv_release(&again);
		itv_release(&v);
		model_release(&before);
		model_release(&after);
	}
}

/* Sorting removes images and frames without samples, but keeps all events. */
static void test_unused_images_are_removed(void **state)
{
	struct random r = { 2 };
	struct itv v = { 0 };

	(void)state;
	random_lists(&r, &v);
	assert_int_equal(itv_sort(&v), 0);
	assert_int_equal(v.nr_images + v.nr_frames, 0);
	assert_true(v.nr_events > 0);
	assert_int_equal(itv_sum(&v), 0);
	itv_release(&v);
}

static void add_file(struct itv *v, const char *name, const char *data)
{
	assert_int_equal(op_grow(&v->files, v->nr_files), 0);
	v->files[v->nr_files++] = (struct itv_file){ strdup(name), strdup(data), strlen(data) };
}

static void add_gap(struct itv *v, int64_t from, int64_t to)
{
	assert_int_equal(op_grow(&v->accounting.gaps, v->accounting.nr_gaps), 0);
	v->accounting.gaps[v->accounting.nr_gaps++] = (struct itv_gap){ from, to, strdup("stopped") };
}

static void test_files_gaps_and_stats_are_sorted(void **state)
{
	struct itv v = { 0 };

	(void)state;
	add_file(&v, "jit/2.map", "x\n");
	add_file(&v, "a", "");
	add_file(&v, "jit/2.map", "x\ny\n");
	add_gap(&v, 50, 60);
	add_gap(&v, 10, 30);
	add_gap(&v, 20, 40);
	add_gap(&v, 25, 26);
	assert_int_equal(op_session_stats_add(&v.accounting.stats, "zzz", 1), 0);
	assert_int_equal(op_session_stats_add(&v.accounting.stats, "aaa", 1), 0);
	assert_int_equal(itv_sort(&v), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(v.nr_files, 2);
	assert_string_equal(v.files[0].name, "a");
	assert_string_equal(v.files[1].data, "x\ny\n");
	assert_int_equal(v.accounting.nr_gaps, 3);
	assert_int_equal(v.accounting.gaps[1].from_ns, 30);
	assert_int_equal(v.accounting.gaps[1].to_ns, 40);
	assert_string_equal(v.accounting.stats.values[0].name, "aaa");
	itv_release(&v);
}

/* Check that itv_sum() and the writer refuse an interval that breaks a rule. */
static void assert_refused(struct itv *v, int err)
{
	int fd = memfd_create("interval", 0);

	assert_int_equal(itv_sum(v), err);
	assert_int_equal(itv_file_write(v, fd, 1, NULL), err);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	itv_release(v);
}

/* Make a small sorted interval with two cells and three nodes. */
static void make_small(struct itv *v)
{
	*v = (struct itv){ 0 };
	v->nr_images = v->nr_events = v->nr_groups = v->nr_trees = 1;
	v->images = calloc(1, sizeof(*v->images));
	v->images[0].image.name.path = strdup("/a");
	v->events = calloc(1, sizeof(*v->events));
	v->events[0].name = strdup("E");
	v->groups = calloc(1, sizeof(*v->groups));
	v->groups[0].nr_cells = v->nr_cells = 2;
	v->cells = calloc(2, sizeof(*v->cells));
	v->cells[0] = (struct itv_cell){ 1, 1 };
	v->cells[1] = (struct itv_cell){ 2, 1ull << 63 };
	v->nr_frames = 2;
	v->frames = calloc(2, sizeof(*v->frames));
	v->frames[1].image = 1;
	v->trees = calloc(1, sizeof(*v->trees));
	v->trees[0].nr_nodes = v->nr_nodes = 3;
	v->trees[0].nr_roots = 1;
	v->nodes = calloc(3, sizeof(*v->nodes));
	v->nodes[0] = (struct itv_node){ 0, 3, 2 };
	v->nodes[1] = (struct itv_node){ 7, ITV_FRAME_FOLDED, 0 };
	v->nodes[2] = (struct itv_node){ 1ull << 63, 2, 0 };
}

static void test_overflowing_counts_are_refused(void **state)
{
	struct itv v;

	(void)state;
	make_small(&v);
	assert_int_equal(itv_sum(&v), 0);
	assert_true(v.accounting.samples == (1ull << 63) + 1);
	assert_true(v.accounting.paths == (1ull << 63) + 7);
	assert_true(v.accounting.folded == 7);
	v.cells[0].count = 1ull << 63;
	assert_refused(&v, -EOVERFLOW);
	make_small(&v);
	v.nodes[0].count = 1ull << 63;
	assert_refused(&v, -EOVERFLOW);
	make_small(&v);
	v.cells[0].count = 0;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.cells[0].key = 2;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.groups[0].tgid = -2;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.groups[0].nr_cells = 1;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.frames[1].image = 2;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.nodes[2].frame = 4;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.nodes[2].frame = ITV_FRAME_FOLDED;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.nodes[0].nr_children = 3;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	v.nodes[0].nr_children = 1;
	assert_refused(&v, -EINVAL);
	make_small(&v);
	add_file(&v, "a/../b", "");
	assert_refused(&v, -EINVAL);
	make_small(&v);
	add_file(&v, "/etc/passwd", "");
	assert_refused(&v, -EINVAL);
}

static void test_invalid_index_changes_nothing(void **state)
{
	struct itv v;

	(void)state;
	make_small(&v);
	v.groups[0].app = 1;
	assert_int_equal(itv_sort(&v), -EINVAL);
	v.groups[0].app = 0;
	v.groups[0].nr_cells = 3;
	assert_int_equal(itv_sort(&v), -EINVAL);
	v.groups[0].nr_cells = 2;
	v.nodes[0].nr_children = 3;
	assert_int_equal(itv_sort(&v), -EINVAL);
	v.nodes[0].nr_children = 2;
	v.nodes[1].frame = 77;
	assert_int_equal(itv_sort(&v), -EINVAL);
	v.nodes[1].frame = ITV_FRAME_LOST;
	assert_int_equal(itv_sort(&v), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(v.accounting.folded, 0);
	itv_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorting_keeps_sums),
		cmocka_unit_test(test_unused_images_are_removed),
		cmocka_unit_test(test_files_gaps_and_stats_are_sorted),
		cmocka_unit_test(test_overflowing_counts_are_refused),
		cmocka_unit_test(test_invalid_index_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
