// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_words.c -- tests the parser of $PCT: a sequence of letters, some with a value.
 */
#include "config.h"
#include "libop/raw/words.h"

#include <errno.h>

#include "tests/unit/check.h"

static void test_pct_words_are_parsed(void **state)
{
	struct raw_pct_words w;
	size_t wrong = 42;

	(void)state;
	raw_pct_words_init(&w);
	assert_int_equal(raw_pct_words_parse(&w, "", &wrong), 0);
	assert_true(w.bin && w.width && !w.quantum_us && !w.dir && !w.truncate && !w.log && !w.circle);
	assert_int_equal(raw_pct_words_parse(&w, "g16w4o/some/DIR tp", &wrong), 0);
	assert_int_equal(w.bin, 16);
	assert_int_equal(w.width, 4);
	assert_string_equal(w.dir, "/some/DIR tp");
	assert_false(w.truncate || w.here);
	assert_int_equal(raw_pct_words_parse(&w, "tpvlc10w8q250r3IV", &wrong), 0);
	assert_true(w.truncate && w.here && w.verbose && w.log);
	assert_int_equal(w.circle, 10);
	assert_int_equal(w.width, 8);
	assert_int_equal(w.quantum_us, 250);
	assert_int_equal(w.translator, 0);
	assert_int_equal(raw_pct_words_parse(&w, "a2", &(size_t){ 0 }), 0);
	assert_int_equal(w.translator, 2);
	assert_int_equal(raw_pct_words_parse(&w, "a4", &(size_t){ 0 }), -EINVAL);
	assert_int_equal(w.gap, 3);
	assert_int_equal(w.clock, RAW_PCT_VIRTUAL);
	assert_int_equal(raw_pct_words_parse(&w, "IRt", &wrong), 0);
	assert_int_equal(w.clock, RAW_PCT_REAL);
	assert_int_equal(raw_pct_words_parse(&w, "IP", &wrong), 0);
	assert_int_equal(w.clock, RAW_PCT_PROF);
	assert_true(w.has_clock);
	assert_int_equal(wrong, 42);
}

static void test_wrong_words_are_located(void **state)
{
	static const struct { const char *text; size_t at; } bad[] = {
		{ "x", 0 }, { "tvx", 2 }, { "g", 0 }, { "tg3", 1 }, { "g0", 0 }, { "w3", 0 }, { "w16", 0 }, { "g16w", 3 },
		{ "c1", 0 }, { "c", 0 }, { "q0", 0 }, { "IX", 0 }, { "tI", 1 }, { "o", 0 }, { "to", 1 }, { "r0", 0 },
		{ "c99999999999999999999", 0 }, { "q4294967296", 0 }, { "t v", 1 }, { "g-4", 0 },
	};
	struct raw_pct_words w;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t wrong = 42;

		raw_pct_words_init(&w);
		assert_int_equal(raw_pct_words_parse(&w, bad[i].text, &wrong), -EINVAL);
		assert_int_equal(wrong, bad[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pct_words_are_parsed),
		cmocka_unit_test(test_wrong_words_are_located),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
