// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_num.c -- tests async-signal-safe conversion of numbers to text and back.
 */
#include "config.h"
#include "libop/raw/num.h"

#include "tests/unit/check.h"

/*
 * Call @check with the numbers around each power of two and of ten, and with a fixed series of
 * random numbers.
 */
static void each_number(void (*check)(uint64_t n))
{
	uint64_t ten = 1, n = 88172645463325252ULL;

	for (int i = 0; i < 64; i++) {
		for (int d = -2; d <= 2; d++)
			check((1ULL << i) + d);
	}
	for (int i = 0; i < 20; i++, ten *= 10) {
		for (int d = -2; d <= 2; d++)
			check(ten + d);
	}
	for (uint64_t i = 0; i < 70000; i++)
		check(i);
	for (int i = 0; i < 100000; i++) {
		n ^= n << 13;
		n ^= n >> 7;
		n ^= n << 17;
		check(n >> (i & 63));
	}
}

static void check_digits(uint64_t n)
{
	char text[32];

	assert_int_equal(raw_ndigits(n), snprintf(text, sizeof(text), "%llu", (unsigned long long)n));
}

/* Compare the text of @n with the text that printf() writes; for binary numbers, convert the text
 * back. */
static void check_text(uint64_t n)
{
	static const struct { unsigned int base; const char *format; } bases[] = {
		{ 8, "%llo" }, { 10, "%llu" }, { 16, "%llx" },
	};
	char got[RAW_NUM_MAX + 1], want[RAW_NUM_MAX + 1];

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		*raw_num2str(got, n, bases[i].base, 0, ' ') = '\0';
		snprintf(want, sizeof(want), bases[i].format, (unsigned long long)n);
		assert_string_equal(got, want);
	}
	*raw_num2str(got, n, 2, 0, ' ') = '\0';
	assert_int_equal(strspn(got, "01"), strlen(got));
	assert_true(got[0] == '1' || !strcmp(got, "0"));
	assert_true(strtoull(got, NULL, 2) == n);
}

static void check_parsed(uint64_t n)
{
	static const unsigned int bases[] = { 2, 8, 10, 16 };
	char text[RAW_NUM_MAX + 1];
	uint64_t back;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		size_t len = raw_num2str(text, n, bases[i], 0, ' ') - text;

		back = ~n;
		text[len] = 'g';
		assert_int_equal(raw_str2num(&back, text, sizeof(text), bases[i]), len);
		assert_true(back == n);
	}
}

static void test_digits_are_counted(void **state)
{
	(void)state;
	each_number(check_digits);
}

static void test_numbers_are_printed(void **state)
{
	(void)state;
	each_number(check_text);
}

static void test_text_is_parsed_back(void **state)
{
	(void)state;
	each_number(check_parsed);
}

/*
 * Check @n padded to each width, against digits computed one by one. Also check that the bytes
 * before and after the text are unchanged.
 */
static void check_padded(uint64_t n)
{
	static const unsigned int bases[] = { 2, 8, 10, 16 }, widths[] = { 0, 1, 7, 8, 9, 23, 57, 63, 64 };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]) * sizeof(widths) / sizeof(widths[0]) * 2; i++) {
		unsigned int base = bases[i % 4], width = widths[i / 4 % 9];
		char pad = i / 36 ? '0' : ' ', want[RAW_NUM_MAX], got[RAW_NUM_MAX + 32], *at = want + sizeof(want);
		uint64_t left = n;

		do
			*--at = "0123456789abcdef"[left % base];
		while (left /= base);
		while (want + sizeof(want) - at < width)
			*--at = pad;
		memset(got, '~', sizeof(got));
		assert_ptr_equal(raw_num2str(got + 16, n, base, width, pad), got + 16 + (want + sizeof(want) - at));
		assert_memory_equal(got + 16, at, want + sizeof(want) - at);
		assert_memory_equal(got, "~~~~~~~~~~~~~~~~", 16);
		assert_int_equal(got[16 + (want + sizeof(want) - at)], '~');
	}
}

static void test_padded_text_has_width(void **state)
{
	(void)state;
	each_number(check_padded);
}

static void test_padding_examples(void **state)
{
	static const struct { uint64_t n; unsigned int base, width; char pad; const char *text; } cases[] = {
		{ 7, 10, 3, ' ', "  7" }, { 7, 10, 3, '0', "007" }, { 1234, 10, 3, '0', "1234" }, { 0, 16, 8, '0', "00000000" },
		{ 0xabc, 16, 16, '0', "0000000000000abc" }, { 5, 2, 8, '0', "00000101" }, { 0, 2, 0, ' ', "0" },
		{ 8, 8, 4, '.', "..10" }, { 12, 7, 0, ' ', "12" },
	};
	char text[RAW_NUM_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*raw_num2str(text, cases[i].n, cases[i].base, cases[i].width, cases[i].pad) = '\0';
		assert_string_equal(text, cases[i].text);
	}
	/* Text has at most RAW_NUM_MAX characters, whatever width is requested. */
	assert_int_equal(raw_num2str(text, 1, 10, 1000000, '0') - text, RAW_NUM_MAX);
}

static void test_invalid_numbers_are_refused(void **state)
{
	static const struct { const char *text; unsigned int base; size_t len; uint64_t n; } cases[] = {
		{ "", 10, 0, 42 }, { "x", 10, 0, 42 }, { "-1", 10, 0, 42 }, { " 1", 10, 0, 42 }, { "12a", 10, 2, 12 },
		{ "18446744073709551615", 10, 20, UINT64_MAX }, { "18446744073709551616", 10, 0, 42 },
		{ "10000000000000000", 16, 0, 42 }, { "fFfF", 16, 4, 0xffff }, { "129", 2, 1, 1 }, { "8", 8, 0, 42 },
		{ "\xff", 16, 0, 42 }, { "g", 16, 0, 42 }, { "@G`g/:", 16, 0, 42 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t n = 42;

		assert_int_equal(raw_str2num(&n, cases[i].text, strlen(cases[i].text), cases[i].base), cases[i].len);
		assert_true(n == cases[i].n);
	}
	/* All bytes except digits are refused. */
	for (int c = 0; c < 256; c++) {
		char text = c;
		uint64_t n = 42;

		assert_int_equal(raw_str2num(&n, &text, 1, 16), c && strchr("0123456789abcdefABCDEF", c) ? 1 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits_are_counted),
		cmocka_unit_test(test_numbers_are_printed),
		cmocka_unit_test(test_text_is_parsed_back),
		cmocka_unit_test(test_padding_examples),
		cmocka_unit_test(test_padded_text_has_width),
		cmocka_unit_test(test_invalid_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
