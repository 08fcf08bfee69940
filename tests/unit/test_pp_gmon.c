// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_gmon.c -- reads the written gmon.out as gprof does, and tests that samples are attributed
 * to the right functions and that large counts are not truncated. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "pp/format/gmon.h"

/* The contents of gmon.out: a histogram with bins of 2 bytes of code, and the arcs of calls. */
struct read_back {
	uint64_t bins[4096];	/* counts, indexed by address / 2 */
	size_t nr_records, nr_arcs;
	uint64_t arc_sum;
	int is64, big_endian;
	const unsigned char *p, *end;
};

static uint64_t read_number(struct read_back *r, unsigned int size)
{
	uint64_t value = 0;

	assert_true(size <= (size_t)(r->end - r->p));
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)r->p[i] << (8 * (r->big_endian ? size - 1 - i : i));
	r->p += size;
	return value;
}

static uint64_t read_address(struct read_back *r)
{
	return read_number(r, r->is64 ? 8 : 4);
}

static void read_record(struct read_back *r)
{
	uint64_t low = read_address(r), high = read_address(r), nr = read_number(r, 4);

	assert_int_equal(high - low, 2 * nr);
	assert_int_equal(low % 2, 0);
	assert_int_equal(read_number(r, 4), 1);
	assert_memory_equal(r->p, "samples\0\0\0\0\0\0\0\0001", 16);
	r->p += 16;
	for (uint64_t i = 0; i < nr; i++)
		r->bins[low / 2 + i] += read_number(r, 2);
	r->nr_records++;
}

static void read_back(struct read_back *r, const struct pp_gmon *gmon)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(pp_gmon_write(f, gmon), 0);
	fclose(f);
	*r = (struct read_back){
		.is64 = gmon->is64,
		.big_endian = gmon->big_endian,
		.p = (unsigned char *)text,
		.end = (unsigned char *)text + size,
	};
	assert_memory_equal(r->p, "gmon", 4);
	r->p += 4;
	assert_int_equal(read_number(r, 4), 1);
	r->p += 12;
	while (r->p < r->end) {
		if (read_number(r, 1) == 0) {
			read_record(r);
			continue;
		}
		read_address(r);
		read_address(r);
		r->arc_sum += read_number(r, 4);
		r->nr_arcs++;
	}
	free(text);
}

/*
 * If a function begins in the middle of a bin (here at 0x101), the samples of that bin are
 * attributed to this function, as in gprof.
 */
static void samples_in_shared_bin_stay_with_function(void **state)
{
	const struct pp_gmon_sample a[] = { { 0xf0, 5 }, { 0x100, 7 } }, b[] = { { 0x101, 100 } };
	const struct pp_gmon_function functions[] = {
		{ 0xf0, 0x101, 1, a, 2 },
		{ 0x101, 0x111, 0, b, 1 },
	};
	const struct pp_gmon gmon = { .is64 = 1, .functions = functions, .nr_functions = 2 };
	struct read_back r;
	uint64_t before = 0, after = 0;

	(void)state;
	read_back(&r, &gmon);
	for (int i = 0; i < 0x80; i++)
		before += r.bins[i];
	for (int i = 0x80; i < 4096; i++)
		after += r.bins[i];
	assert_int_equal(before, 12);
	assert_int_equal(after, 100);
	assert_int_equal(r.bins[0xf0 / 2], 5);
	assert_int_equal(r.nr_records, 1);
}

static void bins_above_16_bits_are_kept(void **state)
{
	const struct pp_gmon_sample a[] = { { 0x100, 200000 }, { 0x102, 65535 }, { 0x104, 65536 } };
	const struct pp_gmon_function functions[] = { { 0x100, 0x110, 0, a, 3 } };
	const struct pp_gmon gmon = { .functions = functions, .nr_functions = 1, .big_endian = 1 };
	struct read_back r;

	(void)state;
	read_back(&r, &gmon);
	assert_int_equal(r.bins[0x80], 200000);
	assert_int_equal(r.bins[0x81], 65535);
	assert_int_equal(r.bins[0x82], 65536);
	assert_int_equal(r.nr_records, 4);
}

static void overflowing_sums_are_refused(void **state)
{
	const struct pp_gmon_sample a[] = { { 0x100, INT32_MAX }, { 0x101, 1 } };
	const struct pp_gmon_function functions[] = { { 0x100, 0x110, 0, a, 2 } };
	const struct pp_gmon gmon = { .functions = functions, .nr_functions = 1 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(pp_gmon_write(f, &gmon), -EOVERFLOW);
	fclose(f);
	free(text);
}

static void distant_functions_have_separate_records(void **state)
{
	const struct pp_gmon_sample a[] = { { 0x100, 1 } }, b[] = { { 0x120, 2 } };
	const struct pp_gmon_sample c[] = { { 0x1000, 3 } };
	const struct pp_gmon_function functions[] = {
		{ 0x100, 0x110, 0, a, 1 },
		{ 0x120, 0x130, 0, b, 1 },
		{ 0x1000, 0x1010, 0, c, 1 },
	};
	const struct pp_gmon_arc arcs[] = { { 0x100, 0x120, 5000000000 } };
	const struct pp_gmon gmon = {
		.is64 = 1, .functions = functions, .nr_functions = 3, .arcs = arcs, .nr_arcs = 1,
	};
	struct read_back r;

	(void)state;
	read_back(&r, &gmon);
	assert_int_equal(r.nr_records, 2);
	assert_int_equal(r.bins[0x80], 1);
	assert_int_equal(r.bins[0x90], 2);
	assert_int_equal(r.bins[0x800], 3);
	assert_int_equal(r.nr_arcs, 2);
	assert_int_equal(r.arc_sum, 5000000000);
}

static void functions_without_bin_are_detected(void **state)
{
	const struct pp_gmon_function one_byte = { .start = 0x101, .end = 0x102 };
	const struct pp_gmon_function at_even = { .start = 0x100, .end = 0x101, .followed = 1 };
	const struct pp_gmon_function alone = { .start = 0x100, .end = 0x101 };

	(void)state;
	assert_false(pp_gmon_has_bin(&at_even));
	assert_true(pp_gmon_has_bin(&alone));
	assert_true(pp_gmon_has_bin(&one_byte));
}

static void names_that_gprof_accepts(void **state)
{
	(void)state;
	assert_true(pp_gmon_knows("main", 1));
	assert_true(pp_gmon_knows("f.constprop.0", 1));
	assert_true(pp_gmon_knows("f.12", 1));
	assert_true(pp_gmon_knows("f.12.7", 1));
	assert_false(pp_gmon_knows("f.cold", 1));
	assert_false(pp_gmon_knows("f.isra.0", 1));
	assert_false(pp_gmon_knows("f.constprop.0.cold", 1));
	assert_false(pp_gmon_knows("a$b", 1));
	assert_true(pp_gmon_knows("a$b", 0));
	assert_true(pp_gmon_knows("f.cold", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_in_shared_bin_stay_with_function),
		cmocka_unit_test(bins_above_16_bits_are_kept),
		cmocka_unit_test(overflowing_sums_are_refused),
		cmocka_unit_test(distant_functions_have_separate_records),
		cmocka_unit_test(functions_without_bin_are_detected),
		cmocka_unit_test(names_that_gprof_accepts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
