// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_pct.c -- tests the layout of .pct files: histograms of a program's addresses.
 */
#include "config.h"
#include "libop/raw/pct.h"

#include <pthread.h>

#include "tests/unit/check.h"

/*
 * The constants of the layout equal those in doc/pct-file.md, on which other machines and later
 * versions depend.
 */
static void test_layout_equals_documentation(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct raw_pct_header, first), 24);
	assert_int_equal(offsetof(struct raw_pct_header, lost), 40);
	assert_int_equal(offsetof(struct raw_pct_header, runs), 80);
	assert_int_equal(offsetof(struct raw_pct_header, event), 112);
	assert_int_equal(offsetof(struct raw_pct_header, program), 176);
	assert_int_equal(offsetof(struct raw_pct_header, driver), 4288);
	assert_int_equal(sizeof(struct raw_pct_header), 4296);
	assert_int_equal(offsetof(struct raw_pct_region, next), 8);
	assert_int_equal(offsetof(struct raw_pct_region, vaddr), 48);
	assert_int_equal(offsetof(struct raw_pct_region, bin), 72);
	assert_int_equal(offsetof(struct raw_pct_region, build_id), 92);
	assert_int_equal(offsetof(struct raw_pct_region, path), 112);
	assert_int_equal(sizeof(struct raw_pct_region), 4208);
}

static void test_counters_saturate(void **state)
{
	static const uint32_t widths[] = { 1, 2, 4, 8 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		uint32_t w = widths[i];
		uint64_t max = raw_pct_max(w);
		uint64_t room[3] = { 0x1111111111111111ULL, 0, 0x1111111111111111ULL };

		assert_int_equal(raw_pct_add(&room[1], w, 3), 0);
		assert_int_equal(raw_pct_get(&room[1], w), 3);
		assert_int_equal(raw_pct_add(&room[1], w, max - 4), 0);
		assert_true(raw_pct_get(&room[1], w) == max - 1);
		assert_int_equal(raw_pct_add(&room[1], w, 300), 299);
		assert_true(raw_pct_get(&room[1], w) == max);
		assert_int_equal(raw_pct_add(&room[1], w, 1), 1);
		assert_true(raw_pct_add(&room[1], w, UINT64_MAX) == UINT64_MAX);
		assert_true(raw_pct_get(&room[1], w) == max);
		assert_true(room[0] == room[2]);
		if (w < 8)
			/* the neighbouring counters are unchanged */
			assert_true(room[1] == max);
	}
}

#define HITS	200000

static void *add_hits(void *arg)
{
	uint64_t lost = 0;

	for (int i = 0; i < HITS; i++)
		lost += raw_pct_add(arg, 2, 1);
	return (void *)(uintptr_t)lost;
}

/* If threads count at the same time, no count is lost, and a counter does not wrap around. */
static void test_concurrent_counts_are_not_lost(void **state)
{
	uint16_t counter = 0;
	uint64_t lost = 0;
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_hits, &counter), 0);
	for (int i = 0; i < 4; i++) {
		void *result;

		assert_int_equal(pthread_join(threads[i], &result), 0);
		lost += (uintptr_t)result;
	}
	assert_int_equal(counter, 0xffff);
	assert_int_equal(lost, 4 * HITS - 0xffff);
}

static void make_region(struct raw_pct_region *r)
{
	*r = (struct raw_pct_region){
		.magic = RAW_PCT_REGION_MAGIC, .start = 0x1000, .end = 0x2001, .counters = RAW_PCT_ALIGN + sizeof(*r),
		.nr_bins = 257, .bin = 16, .width = 4, .path = "/bin/x",
	};
}

static void test_invalid_headers_are_refused(void **state)
{
	const uint64_t at = RAW_PCT_ALIGN, size = at + sizeof(struct raw_pct_region) + 257 * 4;
	struct raw_pct_header h = { .magic = RAW_PCT_MAGIC, .version = RAW_PCT_VERSION, .word = 8 };
	struct raw_pct_region r;

	(void)state;
	assert_true(raw_pct_header_ok(&h, sizeof(h)));
	assert_false(raw_pct_header_ok(&h, sizeof(h) - 1));
	memset(h.event, 'x', sizeof(h.event));
	assert_false(raw_pct_header_ok(&h, sizeof(h)));
	make_region(&r);
	assert_true(raw_pct_region_ok(&r, at, size));
	assert_false(raw_pct_region_ok(&r, at, size - 1));
	assert_false(raw_pct_region_ok(&r, at + 8, size));
	assert_false(raw_pct_region_ok(&r, UINT64_MAX & ~0xffffULL, size));
#define WRONG(what)					\
	do {						\
		make_region(&r);			\
		what;					\
		assert_false(raw_pct_region_ok(&r, at, size)); \
	} while (0)
	WRONG(r.magic++);
	WRONG(r.next = at);		/* refused: a list of regions that never ends */
	WRONG(r.end = r.start);
	WRONG(r.bin = 0);
	WRONG(r.bin = 15);
	WRONG(r.width = 3);
	WRONG(r.width = 8);
	WRONG(r.counters++);
	WRONG(r.counters = UINT64_MAX - 3);
	WRONG(r.nr_bins = UINT64_MAX);
	/* refused: a region whose last byte of code has no counter */
	WRONG(r.nr_bins = 256);
	WRONG(r.build_id_len = 21);
	WRONG(memset(r.path, 'x', sizeof(r.path)));
}

static void test_regions_of_same_code(void **state)
{
	struct raw_pct_region a, b;

	(void)state;
	make_region(&a);
	make_region(&b);
	assert_false(!raw_pct_same(&a, &b));
	b.path[1] = 'l';
	assert_false(raw_pct_same(&a, &b));
	/* Regions of the same build at different addresses have the same code. */
	a.build_id_len = b.build_id_len = 4;
	a.inode = 7;
	b.start += 0x1000;
	b.end += 0x1000;
	assert_true(raw_pct_same(&a, &b));
	b.build_id[3] = 1;
	assert_false(raw_pct_same(&a, &b));
	/* Regions of anonymous memory are compared by address and name. */
	make_region(&a);
	b = a;
	a.path[0] = b.path[0] = '\0';
	assert_true(raw_pct_same(&a, &b));
	b.start += 0x1000;
	b.end += 0x1000;
	assert_false(raw_pct_same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_equals_documentation),
		cmocka_unit_test(test_counters_saturate),
		cmocka_unit_test(test_concurrent_counts_are_not_lost),
		cmocka_unit_test(test_invalid_headers_are_refused),
		cmocka_unit_test(test_regions_of_same_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
