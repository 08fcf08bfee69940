// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_sort.c -- compares the order of a report's lines with that of a sort that compares one
 * key after the other. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "pp/profile/short_titles.h"
#include "pp/profile/sort.h"

#define NR_GROUPS	12
#define NR_ENTRIES	400
#define NR_CLASSES	2

struct fixture {
	struct pp_group groups[NR_GROUPS];
	struct pp_code codes[NR_ENTRIES];
	struct pp_entry *entries;	/* entries of the profile to sort */
	uint64_t counts[NR_ENTRIES][NR_CLASSES];
	uint64_t totals[NR_CLASSES];
	struct pp_profile profile;
};

static const char *const titles[] = {
	"/usr/bin/cc", "/opt/bin/cc", "vmlinux", "/lib/libc.so.6", "anon (tgid:1 range:0x1-0x2)",
	"/a/z",
};
static const char *const names[] = { "main", "malloc", "a::b(int)", "free", "read" };

static struct fixture *make_fixture(size_t nr_classes, uint64_t max_count)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->entries = calloc(NR_ENTRIES, sizeof(*f->entries));
	for (int i = 0; i < NR_GROUPS; i++)
		f->groups[i] =
			(struct pp_group){.image = titles[rand() % 6], .app = titles[rand() % 6]};
	for (int i = 0; i < NR_ENTRIES; i++) {
		for (size_t c = 0; c < nr_classes; c++) {
			f->counts[i][c] = (((uint64_t)rand() << 31) ^ rand()) % max_count;
			f->totals[c] += f->counts[i][c];
		}
		f->codes[i] = (struct pp_code){
			.name = names[rand() % 5],
			.kind = rand() % 4,
			.vma = rand() % 50,
			.file = rand() % 3 ? names[rand() % 5] : NULL,
			.line = rand() % 3,
		};
		f->entries[i] = (struct pp_entry){
			.code = i,
			.group = rand() % NR_GROUPS,
			.counts = f->counts[i],
		};
	}
	f->profile = (struct pp_profile){
		.nr_classes = nr_classes, .groups = f->groups, .nr_groups = NR_GROUPS,
		.codes = f->codes, .nr_codes = NR_ENTRIES,
		.entries = f->entries, .nr_entries = NR_ENTRIES, .totals = f->totals,
	};
	return f;
}

static int sign(int64_t d)
{
	return d < 0 ? -1 : d > 0;
}

static int title_order(const char *a, const char *b, int full)
{
	int d = full ? 0 : strcmp(pp_short_name(a), pp_short_name(b));

	return d ? d : strcmp(a, b);
}

/* Compare two entries by one key after the other, as a simple reference for the tested order. */
static int compare_by_keys(const struct fixture *f, const struct pp_order *order,
			   const struct pp_entry *x, const struct pp_entry *y)
{
	const struct pp_code *cx = pp_entry_code(&f->profile, x),
			     *cy = pp_entry_code(&f->profile, y);
	int d = 0;

	for (int i = 0; i < PP_NR_SORT_KEYS && !d; i++) {
		const struct pp_group *gx = &f->groups[x->group], *gy = &f->groups[y->group];

		switch (order->keys[i]) {
		case PP_SORT_SAMPLE:
			for (size_t c = 0; c < f->profile.nr_classes && !d; c++)
				d = (x->counts[c] < y->counts[c]) - (x->counts[c] > y->counts[c]);
			break;
		case PP_SORT_IMAGE:
			d = title_order(gx->image, gy->image, order->long_filenames);
			break;
		case PP_SORT_APP:
			d = title_order(gx->app, gy->app, order->long_filenames);
			break;
		case PP_SORT_SYMBOL:
			d = strcmp(cx->name, cy->name);
			break;
		case PP_SORT_DEBUG:
			d = !cx->file - !cy->file;
			if (!d && cx->file)
				d = strcmp(cx->file, cy->file);
			if (!d && cx->file)
				d = sign((int64_t)cx->line - (int64_t)cy->line);
			break;
		default:
			d = sign((int64_t)cx->vma - (int64_t)cy->vma);
		}
	}
	return order->reverse ? -d : d;
}

static void random_entries_are_sorted_completely(void **state)
{
	static const char *const orders[] = {
		NULL,  "sample",     "image",	     "app-name,image", "symbol",
		"vma", "vma,sample", "debug,vma",    "symbol,vma",
	};
	static const uint64_t max_counts[] = { 2, 100, 1ull << 33, 1ull << 60 };

	(void)state;
	srand(7);
	for (int round = 0; round < 9 * 4 * 2 * 4; round++) {
		struct fixture *f = make_fixture(1 + round % NR_CLASSES, max_counts[round / 2 % 4]);
		uint64_t sum = 0;
		struct pp_order order;
		const char *bad;

		assert_int_equal(pp_order_parse(&order, orders[round / 8 % 9], &bad), 0);
		order.reverse = rand() % 2;
		order.long_filenames = rand() % 2;
		assert_int_equal(pp_profile_sort(&f->profile, &order), 0);
		f->entries = f->profile.entries;
		for (int i = 0; i < NR_ENTRIES; i++) {
			sum += f->entries[i].counts[0];
			if (i && compare_by_keys(f, &order, &f->entries[i - 1], &f->entries[i]) > 0)
				fail_msg("round %d: entries %d and %d", round, i - 1, i);
		}
		assert_int_equal(sum, f->totals[0]);
		free(f->entries);
		free(f);
	}
}

static void sort_keys_are_parsed(void **state)
{
	struct pp_order order;
	const char *bad;

	(void)state;
	assert_int_equal(pp_order_parse(&order, "symbol,image,symbol", &bad), 0);
	assert_int_equal(order.keys[0], PP_SORT_SYMBOL);
	assert_int_equal(order.keys[1], PP_SORT_IMAGE);
	assert_int_equal(order.keys[2], PP_SORT_SAMPLE);
	assert_int_equal(pp_order_parse(&order, "symbol,wrong,image", &bad), -EINVAL);
	assert_string_equal(bad, "wrong,image");
	assert_int_equal(pp_order_parse(&order, "", &bad), -EINVAL);
	assert_int_equal(pp_order_parse(&order, "image,", &bad), -EINVAL);
}

static void threshold_applies_to_any_column(void **state)
{
	const uint64_t totals[] = { 1000, 10, 0 };

	(void)state;
	assert_true(pp_reaches((uint64_t[]){ 100, 0, 0 }, totals, 3, 10));
	assert_false(pp_reaches((uint64_t[]){ 99, 0, 0 }, totals, 3, 10));
	assert_true(pp_reaches((uint64_t[]){ 0, 1, 0 }, totals, 3, 10));
	assert_true(pp_reaches((uint64_t[]){ 0, 0, 0 }, totals, 3, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_entries_are_sorted_completely),
		cmocka_unit_test(sort_keys_are_parsed),
		cmocka_unit_test(threshold_applies_to_any_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
