// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_strings.c -- tests that stored strings, words and messages stay unchanged when more of
 * them are stored.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>

#include "pp/base/block.h"
#include "pp/base/log.h"
#include "tests/unit/pp_log.h"

#define NR 20000

static void joined_strings_are_unchanged(void **state)
{
	static const char *kept[NR];
	struct pp_block *strings = NULL, *others = NULL, *none = NULL;
	char text[64];

	(void)state;
	for (int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "%d%.*s", i, i % 40, "the quick brown fox jumps over it");
		kept[i] = pp_strings_add(i % 3 ? &strings : &others, text);
	}
	pp_block_join(&strings, &others);
	pp_block_join(&strings, &none);
	assert_null(others);
	for (int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "%d%.*s", i, i % 40, "the quick brown fox jumps over it");
		assert_string_equal(kept[i], text);
	}
	pp_block_free(strings);
}

static void string_longer_than_block_is_stored(void **state)
{
	struct pp_block *strings = NULL;
	static char text[300000];
	const char *kept;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	kept = pp_strings_add(&strings, text);
	assert_string_equal(pp_strings_add(&strings, "short"), "short");
	assert_string_equal(kept, text);
	pp_block_free(strings);
}

static void equal_strings_are_stored_once(void **state)
{
	struct pp_intern intern = { 0 };
	struct pp_block *strings = NULL;
	const char *kept[1000];
	char text[32];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++) {
			const char *found;

			snprintf(text, sizeof(text), "/src/%d.c", i);
			found = pp_intern(&intern, &strings, text);
			assert_string_equal(found, text);
			if (!round)
				kept[i] = found;
			assert_ptr_equal(found, kept[i]);
		}
	}
	assert_int_equal(intern.nr, 1000);
	pp_intern_release(&intern);
	pp_block_free(strings);
}

static void allocated_words_are_zero_and_disjoint(void **state)
{
	static uint64_t *words[NR];
	struct pp_block *blocks = NULL, *others = NULL;

	(void)state;
	for (int i = 0; i < NR; i++) {
		size_t nr = i % 100 ? i % 7 + 1 : 20000;

		words[i] = pp_block_alloc(i % 2 ? &blocks : &others, nr);
		for (size_t w = 0; w < nr; w++)
			assert_int_equal(words[i][w], 0);
		if (nr > 7)
			continue;
		words[i][0] = words[i][nr - 1] = i;
	}
	pp_block_join(&blocks, &others);
	assert_null(others);
	for (int i = 0; i < NR; i++)
		assert_int_equal(words[i][0], i % 100 ? i : 0);
	pp_block_free(blocks);
}

static void queued_messages_are_printed_later(void **state)
{
	struct check_log log = check_log();
	struct pp_log_queue queue;

	(void)state;
	log.log.verbose = 1;
	pp_log_queue_init(&queue, &log.log);
	pp_warn(&queue.log, "first %d", 1);
	pp_verbose(&queue.log, "second");
	pp_error(&queue.log, "third");
	op_fail(&queue.log.error, -EINVAL, "a reason");
	assert_int_equal(log.nr[PP_LOG_WARNING] + log.nr[PP_LOG_VERBOSE] + log.nr[PP_LOG_ERROR], 0);
	pp_log_queue_flush(&queue, &log.log);
	assert_int_equal(log.nr[PP_LOG_WARNING], 1);
	assert_int_equal(log.nr[PP_LOG_VERBOSE], 1);
	assert_int_equal(log.nr[PP_LOG_ERROR], 1);
	assert_said(&log, "third");
	assert_failed_with(&log, "a reason");
	pp_log_queue_flush(&queue, &log.log);
	assert_int_equal(log.nr[PP_LOG_ERROR], 1);
	pp_warn(&queue.log, "never told");
	pp_log_queue_release(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined_strings_are_unchanged),
		cmocka_unit_test(string_longer_than_block_is_stored),
		cmocka_unit_test(equal_strings_are_stored_once),
		cmocka_unit_test(allocated_words_are_zero_and_disjoint),
		cmocka_unit_test(queued_messages_are_printed_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
