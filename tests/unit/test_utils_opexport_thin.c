// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opexport_thin.c -- thinning keeps sums; bodies of requests are RowBinary in gzip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "libop/base/hash.h"
#include "utils/opexport/bytes.h"
#include "utils/opexport/thin.h"

#define NR	20000
#define MAX	2000
#define RUNS	200

static uint64_t counts[NR];

/* Fill counts[] like the counts of call paths, most of which are small. Return the sum. */
static uint64_t make_counts(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR; i++) {
		counts[i] = 1 + i * i / (NR * 50ull) + (i > NR - 10 ? 100000 : 0);
		sum += counts[i];
	}
	return sum;
}

static void limits(void **state)
{
	const uint64_t few[] = { 1, 2, 3 };

	(void)state;
	assert_int_equal(export_thin_limit(few, 3, 3), 1);
	assert_int_equal(export_thin_limit(few, 3, 0), 1);
	assert_int_equal(export_thin_limit(few, 3, 2), 3);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(export_thin(7, 7, i), 7);
}

static void keeps_sums(void **state)
{
	const uint64_t sum = make_counts();
	double mean = 0, rows = 0;
	uint64_t limit = export_thin_limit(counts, NR, MAX);

	(void)state;
	assert_true(limit > 1);
	for (uint64_t run = 0; run < RUNS; run++)
		for (size_t i = 0; i < NR; i++) {
			const uint64_t random = op_hash_number(op_hash_number(OP_HASH_BEGIN, run), i);
			const uint64_t left = export_thin(counts[i], limit, random);

			mean += (double)left / RUNS;
			rows += left ? 1.0 / RUNS : 0;
		}
	/* the standard error of the mean is below 0.2 % */
	assert_true(mean > 0.99 * (double)sum && mean < 1.01 * (double)sum);
	assert_true(rows > 0.95 * MAX && rows < 1.05 * MAX);
}

static void row_binary(void **state)
{
	static const uint8_t wanted[] = { 2, 'a', '\'', 0xac, 2, 0x34, 0x12, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1,
					  0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
	struct export_bytes b = { .data = NULL }, packed = { .data = NULL };
	uint8_t back[sizeof(wanted) + 1];
	z_stream z = { .avail_out = sizeof(back), .next_out = back };

	(void)state;
	export_put_string(&b, "a'");
	export_put_length(&b, 300);
	export_put_u16(&b, 0x1234);
	export_put_u32(&b, 0x01020304);
	export_put_u64(&b, 0x0102030405060708);
	export_put_time(&b, -5);
	export_put_time(&b, INT64_MAX);
	assert_false(b.failed);
	assert_int_equal(b.len, sizeof(wanted));
	assert_memory_equal(b.data, wanted, sizeof(wanted));
	assert_int_equal(export_gzip(&packed, &b), 0);
	z.next_in = packed.data;
	z.avail_in = (uInt)packed.len;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, sizeof(wanted));
	assert_memory_equal(back, wanted, sizeof(wanted));
	inflateEnd(&z);
	export_bytes_release(&b);
	export_bytes_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits), cmocka_unit_test(keeps_sums), cmocka_unit_test(row_binary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
