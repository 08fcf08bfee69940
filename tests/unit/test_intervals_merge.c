// SPDX-License-Identifier: GPL-2.0-or-later
/* test_intervals_merge.c -- compares merged intervals with sums that simple models compute. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "tests/unit/intervals.h"

#define ROUNDS 150

/* Return a copy of an interval, created by writing the interval to a file and reading the file. */
static struct itv copy_of(const struct itv *v)
{
	struct itv copy = { 0 };
	int fd = write_interval(v, 1);

	assert_int_equal(itv_file_read(&copy, fd, ITV_READ_ALL, 1 << 24), 0);
	close(fd);
	return copy;
}

static struct itv sum_of(const struct itv *a, const struct itv *b)
{
	struct itv sum = copy_of(a);
	struct itv_accounting merged;

	assert_int_equal(itv_merge(&sum, b, "not running"), 0);
	/* the totals are those of a check of the whole sum */
	merged = sum.accounting;
	assert_int_equal(itv_sum(&sum), 0);
	assert_true(merged.samples == sum.accounting.samples);
	assert_true(merged.paths == sum.accounting.paths);
	assert_true(merged.folded == sum.accounting.folded);
	return sum;
}

static void add_text(char ***list, size_t *nr, const char *text)
{
	assert_int_equal(op_grow(list, *nr), 0);
	(*list)[(*nr)++] = strdup(text);
}

/*
 * Make the @number-th sorted interval, with accounting and files. Its time overlaps the time of the
 * preceding interval.
 */
static void make(struct random *r, struct itv *v, int number)
{
	random_sorted(r, v);
	v->accounting.begun_ns = 1000000 + 100 * number + random_below(r, 100);
	v->accounting.ended_ns = 1000200 + 100 * number + random_below(r, 100);
	v->accounting.precision = (enum itv_precision)random_below(r, 3);
	v->accounting.about.sampled_ms = random_below(r, 1000);
	v->accounting.about.ended = 1 + random_below(r, 100);
	snprintf(v->accounting.about.kernel, sizeof(v->accounting.about.kernel), "6.%u",
		 random_below(r, 5));
	assert_int_equal(op_session_stats_add(&v->accounting.stats, "taken", random_below(r, 9)), 0);
	if (random_below(r, 2))
		assert_int_equal(op_session_stats_add(&v->accounting.stats, "other", 1), 0);
	add_text(&v->accounting.parts, &v->accounting.nr_parts, random_below(r, 2) ? "a" : "b");
	if (random_below(r, 2)) {
		v->files = calloc(1, sizeof(*v->files));
		v->nr_files = 1;
		v->files[0] = (struct itv_file){ strdup("names"), strdup("1 one\n2 two\n"), 12 };
		v->files[0].data[2] = (char)('a' + random_below(r, 20));
	}
	assert_int_equal(itv_sort(v), 0);
}

static void test_merge_equals_model_sum(void **state)
{
	struct random r = { 5 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct itv a, b, c, ab, ba, ab_c, bc, a_bc;
		struct model sum = { 0 }, result = { 0 };

		make(&r, &a, 1);
		make(&r, &b, 2);
		make(&r, &c, 3);
		ab = sum_of(&a, &b);
		ba = sum_of(&b, &a);
		model_add_interval(&sum, &a);
		model_add_interval(&sum, &b);
		model_add_interval(&result, &ab);
		model_assert_equal(&sum, &result);
		assert_true(ab.accounting.samples == a.accounting.samples + b.accounting.samples);
		assert_true(ab.accounting.paths == a.accounting.paths + b.accounting.paths);
		assert_true(ab.accounting.folded == a.accounting.folded + b.accounting.folded);
		assert_same_files(&ab, &ba);
		ab_c = sum_of(&ab, &c);
		bc = sum_of(&b, &c);
		a_bc = sum_of(&a, &bc);
		assert_same_files(&ab_c, &a_bc);
		/* Sorting does not change the sum of intervals, because the sum is already in
		 * canonical order. */
		itv_release(&bc);
		bc = copy_of(&ab_c);
		assert_int_equal(itv_sort(&bc), 0);
		assert_same_files(&ab_c, &bc);
		model_release(&sum);
		model_release(&result);
		itv_release(&a);
		itv_release(&b);
		itv_release(&c);
		itv_release(&ab);
		itv_release(&ba);
		itv_release(&ab_c);
		itv_release(&bc);
		itv_release(&a_bc);
	}
}

static void test_empty_interval_changes_nothing(void **state)
{
	struct random r = { 6 };
	struct itv v, empty = { 0 }, sum;

	(void)state;
	make(&r, &v, 1);
	sum = sum_of(&v, &empty);
	assert_same_files(&v, &sum);
	assert_int_equal(itv_merge(&empty, &v, "not running"), 0);
	assert_same_files(&v, &empty);
	itv_release(&empty);
	itv_release(&sum);
	itv_release(&v);
}

static struct itv interval_at(int64_t begun, int64_t ended)
{
	return (struct itv){ .accounting = { .begun_ns = begun, .ended_ns = ended } };
}

static void add_gap(struct itv *v, int64_t from, int64_t to, const char *reason)
{
	struct itv_accounting *a = &v->accounting;

	assert_int_equal(op_grow(&a->gaps, a->nr_gaps), 0);
	a->gaps[a->nr_gaps++] = (struct itv_gap){ from, to, strdup(reason) };
}

static void assert_gaps(const struct itv *v, const char *expected)
{
	char *text = strdup("");

	for (size_t i = 0; i < v->accounting.nr_gaps; i++) {
		const struct itv_gap *gap = &v->accounting.gaps[i];
		char *more = model_text("%s%" PRId64 "-%" PRId64 " %s\n", text, gap->from_ns,
					gap->to_ns, gap->reason);

		free(text);
		text = more;
	}
	assert_string_equal(text, expected);
	free(text);
}

static void test_gaps_are_merged(void **state)
{
	struct itv a = interval_at(100, 200), b = interval_at(250, 300), c = interval_at(150, 400),
			d = interval_at(400, 500);

	(void)state;
	add_gap(&a, 110, 120, "stopped");
	add_gap(&a, 160, 170, "suspended");
	assert_int_equal(itv_merge(&a, &b, "not running"), 0);
	assert_true(a.accounting.begun_ns == 100 && a.accounting.ended_ns == 300);
	assert_gaps(&a, "110-120 stopped\n160-170 suspended\n200-250 not running\n");
	/* The second interval covers the gaps of the first interval, except where both have a
	 * gap. */
	add_gap(&c, 165, 168, "stopped");
	add_gap(&c, 220, 260, "stopped");
	assert_int_equal(itv_merge(&a, &c, "not running"), 0);
	assert_gaps(&a, "110-120 stopped\n165-168 stopped\n220-250 not running\n");
	/*
	 * If an interval follows without a gap, no gap is added. If the reason for the gap is not
	 * recorded, the given reason is used.
	 */
	assert_int_equal(itv_merge(&a, &d, "not running"), 0);
	itv_release(&b);
	b = interval_at(600, 700);
	assert_int_equal(itv_merge(&a, &b, NULL), 0);
	assert_gaps(&a, "110-120 stopped\n165-168 stopped\n220-250 not running\n");
	assert_true(a.accounting.begun_ns == 100 && a.accounting.ended_ns == 700);
	itv_release(&a);
	itv_release(&b);
	itv_release(&c);
	itv_release(&d);
}

static void add_file(struct itv *v, const char *data, size_t len)
{
	char *copy = malloc(len + 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	v->files = calloc(1, sizeof(*v->files));
	v->nr_files = 1;
	v->files[0] = (struct itv_file){ strdup("names"), copy, len };
}

static void assert_joined(const char *first, size_t first_len, const char *second,
			  size_t second_len, const char *expected, size_t len)
{
	struct itv a = interval_at(1, 2), b = interval_at(2, 3);

	add_file(&a, first, first_len);
	add_file(&b, second, second_len);
	assert_int_equal(itv_merge(&b, &a, NULL), 0);
	assert_int_equal(b.nr_files, 1);
	assert_int_equal(b.files[0].len, len);
	assert_memory_equal(b.files[0].data, expected, len);
	itv_release(&a);
	itv_release(&b);
}

/*
 * In merged text maps, new lines of the later interval follow the lines of the earlier one. If a
 * file has another format, the later version of the file is kept.
 */
static void test_text_maps_are_joined(void **state)
{
	(void)state;
	assert_joined("a\nb\n", 4, "b\nc\n", 4, "a\nb\nc\n", 6);
	assert_joined("a\n", 2, "a\n", 2, "a\n", 2);
	assert_joined("", 0, "a\n", 2, "a\n", 2);
	assert_joined("a\n", 2, "", 0, "a\n", 2);
	assert_joined("a\n", 2, "b", 1, "b", 1);
	assert_joined("\0\n", 2, "b\n", 2, "b\n", 2);
}

static void test_accounting_is_merged(void **state)
{
	struct itv a = interval_at(10, 20), b = interval_at(5, 15);
	struct op_session_about *x = &a.accounting.about, *y = &b.accounting.about;

	(void)state;
	strcpy(x->kernel, "6.2");
	strcpy(y->kernel, "6.1");
	strcpy(y->host, "host");
	strcpy(x->command, "b; c");
	strcpy(y->command, "a; b");
	x->begun = 10;
	y->begun = 5;
	x->nr_commands = UINT32_MAX;
	y->nr_commands = 2;
	x->sampled_ms = INT64_MAX;
	y->sampled_ms = 1;
	b.accounting.settings = strdup("old");
	a.accounting.precision = ITV_LINES;
	assert_int_equal(itv_merge(&a, &b, NULL), 0);
	assert_string_equal(x->kernel, "6.2");
	assert_string_equal(x->host, "host");
	assert_string_equal(x->command, "a; b; c");
	assert_true(x->nr_commands == UINT32_MAX && x->sampled_ms == INT64_MAX && x->begun == 5);
	assert_string_equal(a.accounting.settings, "old");
	assert_int_equal(a.accounting.precision, ITV_LINES);
	itv_release(&a);
	itv_release(&b);
}

/* An image without a build-id and an image with a build-id and the same identity are merged. */
static void test_images_with_and_without_build_id_are_merged(void **state)
{
	uint8_t id[20] = { 1, 2, 3 };
	struct itv_image image = {
		.image = { .name = { .path = (char *)"/bin/a" }, .identity = { .build = 7 } },
		.build_id = id, .build_id_len = sizeof(id),
	};
	struct itv_group group = { .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL, .nr_cells = 1 };
	struct itv_cell cell = { 4096, 3 };
	struct itv_event event = { .name = (char *)"CYCLES", .count = 1 };
	struct itv with = {
		.images = &image, .nr_images = 1, .events = &event, .nr_events = 1, .groups = &group, .nr_groups = 1,
		.cells = &cell, .nr_cells = 1,
	};
	struct itv a = copy_of(&with), b, c;

	(void)state;
	image.build_id_len = 0;
	b = copy_of(&with);
	c = copy_of(&with);
	assert_int_equal(itv_merge(&b, &a, NULL), 0);
	assert_int_equal(itv_merge(&a, &c, NULL), 0);
	for (const struct itv *v = &a; v; v = v == &a ? &b : NULL) {
		assert_int_equal(v->nr_images, 1);
		assert_int_equal(v->images[0].build_id_len, sizeof(id));
		assert_int_equal(v->nr_cells, 1);
		assert_true(v->cells[0].count == 6);
	}
	itv_release(&a);
	itv_release(&b);
	itv_release(&c);
}

/* If a sum exceeds the range of a count, the merge fails and changes nothing. */
static void test_overflowing_merge_changes_nothing(void **state)
{
	struct random r = { 7 };
	struct itv v, before;

	(void)state;
	do {
		random_sorted(&r, &v);
		if (!v.nr_cells || !v.nr_nodes)
			itv_release(&v);
	} while (!v.nr_cells || !v.nr_nodes);
	before = copy_of(&v);
	v.cells[0].count = before.cells[0].count = 1ull << 63;
	assert_int_equal(itv_merge(&v, &before, NULL), -EOVERFLOW);
	assert_same_files(&v, &before);
	v.cells[0].count = before.cells[0].count = 1;
	v.nodes[0].count = before.nodes[0].count = 1ull << 63;
	assert_int_equal(itv_merge(&v, &before, NULL), -EOVERFLOW);
	assert_same_files(&v, &before);
	v.nodes[0].count = before.nodes[0].count = 1;
	assert_int_equal(op_session_stats_add(&v.accounting.stats, "taken", UINT64_MAX), 0);
	assert_int_equal(op_session_stats_add(&before.accounting.stats, "taken", UINT64_MAX), 0);
	assert_int_equal(itv_merge(&v, &before, NULL), -EOVERFLOW);
	assert_same_files(&v, &before);
	itv_release(&v);
	itv_release(&before);
}

/* If no count of the sum exceeds the range of a count, but their total does, the merge fails. */
static void test_overflowing_total_is_refused(void **state)
{
	struct random r = { 7 };
	struct itv v, other;

	(void)state;
	do {
		random_sorted(&r, &v);
		if (v.nr_cells < 2 || v.nr_nodes < 2)
			itv_release(&v);
	} while (v.nr_cells < 2 || v.nr_nodes < 2);
	other = copy_of(&v);
	v.cells[0].count = other.cells[1].count = 1ull << 63;
	assert_int_equal(itv_merge(&v, &other, NULL), -EOVERFLOW);
	v.cells[0].count = other.cells[1].count = 1;
	v.nodes[0].count = other.nodes[1].count = 1ull << 63;
	assert_int_equal(itv_merge(&v, &other, NULL), -EOVERFLOW);
	v.nodes[0].count = other.nodes[1].count = 1;
	assert_int_equal(itv_merge(&v, &other, NULL), 0);
	itv_release(&v);
	itv_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overflowing_total_is_refused),
		cmocka_unit_test(test_merge_equals_model_sum),
		cmocka_unit_test(test_empty_interval_changes_nothing),
		cmocka_unit_test(test_gaps_are_merged),
		cmocka_unit_test(test_text_maps_are_joined),
		cmocka_unit_test(test_accounting_is_merged),
		cmocka_unit_test(test_images_with_and_without_build_id_are_merged),
		cmocka_unit_test(test_overflowing_merge_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
