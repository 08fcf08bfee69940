// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opexport_thin.c -- thinning keeps sums and shares; bodies of requests are RowBinary in gzip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "utils/opexport/batch.h"
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

#define SYMBOLS		400
#define BUSIEST		50
#define INTERVALS	100

/* Rows of an interval: row i is a stack that ends in symbol i % SYMBOLS. The counts of the symbols
 * decrease, and most stacks of a symbol have few samples. */
static void make_rows(struct export_rows *rows)
{
	*rows = (struct export_rows){ .rows = calloc(NR, sizeof(*rows->rows)), .nr = NR, .nr_frames = 1,
				      .frames = calloc(1, sizeof(*rows->frames)) };
	assert_true(rows->rows && rows->frames);
	rows->frames[0] = (struct export_frame){ .text = "prog\t/bin/prog\t", .parent = UINT32_MAX };
	for (size_t i = 0; i < NR; i++) {
		const uint64_t symbol = i % SYMBOLS, hash = op_hash_number(OP_HASH_BEGIN, i);
		const uint64_t count = 1 + hash % 8 * (SYMBOLS - symbol) / 100 +
				       (hash % 100 == 0 ? hash % 3000 : 0);

		rows->rows[i] = (struct export_row){ .event = "TIMER", .service = "shop", .version = "",
						     .container = "", .stack = i, .count = count };
		rows->samples += count;
	}
}

/* Unpack gzip to memory that the caller frees. */
static uint8_t *unpack(const struct export_bytes *packed, size_t *ret)
{
	const size_t size = 16 << 20;
	uint8_t *bytes = malloc(size);
	z_stream z = { .next_in = packed->data, .avail_in = (uInt)packed->len, .next_out = bytes,
		       .avail_out = (uInt)size };

	assert_non_null(bytes);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	*ret = z.total_out;
	inflateEnd(&z);
	return bytes;
}

/* Add the counts of the rows of table samples to the sum of each symbol. Each row has the same texts,
 * so the same length. Return the sum of all counts. */
static uint64_t read_batch(const struct export_batch *batch, uint64_t sums[SYMBOLS])
{
	size_t size;
	uint8_t *bytes = unpack(&batch->samples, &size);
	const size_t len = size / batch->nr_samples;
	uint64_t sum = 0;

	assert_int_equal(size, len * batch->nr_samples);
	for (size_t i = 0; i < batch->nr_samples; i++) {
		const uint8_t *end = bytes + (i + 1) * len;
		uint64_t stack;
		uint32_t count;

		memcpy(&stack, end - 12, 8);
		memcpy(&count, end - 4, 4);
		assert_true(stack < NR);
		sums[stack % SYMBOLS] += count;
		sum += count;
	}
	assert_int_equal(sum, batch->sent);
	free(bytes);
	return sum;
}

/* The standard error of the share of a symbol: the symbol and all others have independent sums, in
 * which a row of count c below the limit T has the variance c * (T - c). */
static double error_of(const struct export_rows *rows, size_t symbol, double share, uint64_t limit)
{
	double own = 0, others = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		const double c = (double)rows->rows[i].count, t = (double)limit;

		if (c < t)
			*(i % SYMBOLS == symbol ? &own : &others) += c * (t - c);
	}
	return sqrt((1 - share) * (1 - share) * own + share * share * others) / (double)rows->samples;
}

/* A symbol, its exact share, and the standard error of its share after thinning. */
struct share {
	uint64_t sum;
	size_t symbol;
	double exact, error;
	double total;	/* sum of the shares of all thinned intervals */
};

static int compare_shares(const void *a, const void *b)
{
	return op_compare_u64(((const struct share *)b)->sum, ((const struct share *)a)->sum);
}

static void find_shares(struct share shares[SYMBOLS], const struct export_rows *rows, uint64_t limit)
{
	for (size_t i = 0; i < SYMBOLS; i++)
		shares[i] = (struct share){ .symbol = i };
	for (size_t i = 0; i < rows->nr; i++)
		shares[i % SYMBOLS].sum += rows->rows[i].count;
	qsort(shares, SYMBOLS, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < BUSIEST; i++) {
		shares[i].exact = (double)shares[i].sum / (double)rows->samples;
		shares[i].error = error_of(rows, shares[i].symbol, shares[i].exact, limit);
	}
}

/* The shares of the busiest symbols are right within three standard errors: 99.7 % of them in one
 * interval, and all of them in the sum of many, whose error is as much smaller. */
static void keeps_shares(void **state)
{
	const struct export_host host = { .name = "host", .machine = "00112233445566778899aabbccddeeff" };
	const struct export_sent_stacks none = { .ids = NULL };
	static struct share shares[SYMBOLS];
	unsigned int nr_far = 0;
	struct export_rows rows;
	uint64_t limit;

	(void)state;
	make_rows(&rows);
	assert_int_equal(export_rows_limit(&limit, &rows, MAX), 0);
	assert_true(limit > 1);
	find_shares(shares, &rows, limit);
	for (int run = 0; run < INTERVALS; run++) {
		struct itv_entry entry = { .begin = 1700000000 };
		uint64_t sums[SYMBOLS] = { 0 };
		struct export_batch batch;
		uint64_t sum;

		snprintf(entry.name, sizeof(entry.name), "interval-%d", run);
		assert_int_equal(export_batch_make(&batch, &rows, &host, &entry, MAX, &none, EXPORT_GZIP), 0);
		assert_true(batch.nr_samples < MAX * 11 / 10 && batch.nr_thinned + batch.nr_samples == NR);
		sum = read_batch(&batch, sums);
		for (size_t i = 0; i < BUSIEST; i++) {
			const double share = (double)sums[shares[i].symbol] / (double)sum;

			shares[i].total += share;
			nr_far += fabs(share - shares[i].exact) > 3 * shares[i].error;
		}
		export_batch_release(&batch);
	}
	for (size_t i = 0; i < BUSIEST; i++) {
		const double mean = shares[i].total / INTERVALS;

		assert_true(fabs(mean - shares[i].exact) < 3 * shares[i].error / sqrt(INTERVALS));
	}
	print_message("%u of %u shares are farther than three standard errors\n", nr_far, BUSIEST * INTERVALS);
	assert_true(nr_far < BUSIEST * INTERVALS / 100);
	free(rows.rows);
	free(rows.frames);
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

/* Pieces of all lengths, more than a window of the compression. */
static void packs(void **state)
{
	static uint8_t piece[4000];
	const size_t most = 3 << 20;
	uint8_t *wanted = malloc(most), *back = malloc(most);

	(void)state;
	assert_true(wanted && back);
	for (int packing = EXPORT_GZIP; packing <= EXPORT_ZSTD; packing++) {
		struct export_bytes b = { .data = NULL };
		size_t len = 0, got;

		assert_int_equal(export_bytes_pack(&b, (enum export_packing)packing), 0);
		for (size_t i = 0; i < 1400; i++) {
			const size_t nr = i % 7 ? i % 100 : i * 2;

			for (size_t k = 0; k < nr; k++)
				piece[k] = (uint8_t)(op_hash_number(i, k / 3) >> 40 & 31);
			export_put_bytes(&b, piece, nr);
			memcpy(wanted + len, piece, nr);
			len += nr;
		}
		assert_int_equal(export_bytes_finish(&b), 0);
		assert_true(b.len && b.len < len / 2);
		if (packing == EXPORT_ZSTD) {
			got = ZSTD_decompress(back, most, b.data, b.len);
		} else {
			free(back);
			back = unpack(&b, &got);
		}
		assert_int_equal(got, len);
		assert_memory_equal(back, wanted, len);
		export_bytes_release(&b);
		/* a stream that is not completed */
		assert_int_equal(export_bytes_pack(&b, (enum export_packing)packing), 0);
		export_put_string(&b, "a");
		export_bytes_release(&b);
	}
	free(wanted);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits), cmocka_unit_test(keeps_sums), cmocka_unit_test(keeps_shares),
		cmocka_unit_test(row_binary), cmocka_unit_test(packs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
