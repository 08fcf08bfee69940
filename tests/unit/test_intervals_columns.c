// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_columns.c -- tests the encoding of numbers and strings in intervals' files, and
 * the decoding of arbitrary bytes.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "intervals/columns.h"

static const uint64_t numbers[] = {
	0, 1, 127, 128, 300, 16383, 16384, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX,
};
#define NR (sizeof(numbers) / sizeof(numbers[0]))

static void test_numbers_are_read_as_written(void **state)
{
	struct itv_out out = { 0 };
	struct itv_in in;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		itv_put_number(&out, numbers[i]);
		assert_true(itv_unzigzag(itv_zigzag(numbers[i])) == numbers[i]);
	}
	assert_true(itv_zigzag(UINT64_MAX) == 1 && itv_zigzag(1) == 2);
	in = (struct itv_in){ out.bytes, out.bytes + out.len, false };
	for (size_t i = 0; i < NR; i++)
		assert_true(itv_get_number(&in) == numbers[i]);
	assert_true(itv_in_is_done(&in));
	assert_int_equal(itv_get_number(&in), 0);
	assert_true(in.failed);
	/* A truncated number is refused. */
	for (size_t len = 0; len < 10; len++) {
		in = (struct itv_in){ out.bytes + out.len - 10, out.bytes + out.len - 10 + len, false };
		assert_int_equal(itv_get_number(&in), 0);
		assert_true(in.failed && !itv_in_is_done(&in));
	}
	itv_out_release(&out);
}

static void test_invalid_numbers_are_refused(void **state)
{
	const uint8_t large[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };
	const uint8_t endless[] = { 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1 };
	const uint8_t ten[] = { 10, 1 };
	struct itv_in in = { large, large + sizeof(large), false };

	(void)state;
	assert_int_equal(itv_get_number(&in), 0);
	assert_true(in.failed);
	in = (struct itv_in){ endless, endless + sizeof(endless), false };
	assert_int_equal(itv_get_number(&in), 0);
	assert_true(in.failed);
	in = (struct itv_in){ ten, ten + 2, false };
	assert_int_equal(itv_get_limited(&in, 9), 0);
	assert_true(in.failed);
	in = (struct itv_in){ ten, ten + 2, false };
	assert_int_equal(itv_get_limited(&in, 10), 10);
	in = (struct itv_in){ ten, ten + 2, false };
	/* Ten items are refused, because they do not fit into one byte. */
	assert_int_equal(itv_get_count(&in, 1), 0);
	assert_true(in.failed);
	in = (struct itv_in){ ten, ten, false };
	assert_int_equal(itv_get_count(&in, 1), 0);
	assert_false(in.failed);
}

static void test_texts_are_read_as_written(void **state)
{
	struct itv_out out = { 0 };
	struct itv_in in;
	bool nomem = false;
	size_t len = 0;
	char *text;

	(void)state;
	itv_put_text(&out, "a\0b", 3);
	itv_put_text(&out, NULL, 0);
	in = (struct itv_in){ out.bytes, out.bytes + out.len, false };
	text = itv_get_text(&in, &len, &nomem);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
	text = itv_get_text(&in, &len, &nomem);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
	assert_true(itv_in_is_done(&in));
	in = (struct itv_in){ out.bytes, out.bytes + 3, false };
	assert_null(itv_get_text(&in, &len, &nomem));
	assert_true(in.failed && !nomem);
	itv_out_release(&out);
}

static void test_fixed_numbers_are_little_endian(void **state)
{
	const uint8_t bytes[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	uint8_t copy[8];

	(void)state;
	assert_true(itv_get_le64(bytes) == 0x0102030405060708);
	assert_true(itv_get_le32(bytes) == 0x05060708);
	itv_put_le64(copy, 0x0102030405060708);
	assert_memory_equal(copy, bytes, 8);
	itv_put_le32(copy, 0x01020304);
	assert_memory_equal(copy, bytes + 4, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_read_as_written),
		cmocka_unit_test(test_invalid_numbers_are_refused),
		cmocka_unit_test(test_texts_are_read_as_written),
		cmocka_unit_test(test_fixed_numbers_are_little_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
