// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opexport_words.c -- texts of opexport: the server's answers, frames. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "utils/opexport/features.h"
#include "utils/opexport/host.h"
#include "utils/opexport/interval.h"
#include "utils/opexport/rows.h"
#include "utils/opexport/schema.h"

/* The server's answer to the next query. The function below replaces fleet/http.c. */
static const char *next_answer;

int fleet_http_query(struct fleet_http *http, const char *database, const char *sql,
		     struct fleet_answer *ret, struct op_reason *error)
{
	(void)http;
	(void)database;
	(void)error;
	assert_non_null(strstr(sql, "version()"));
	ret->text = strdup(next_answer);
	ret->len = strlen(next_answer);
	return 0;
}

static void answers(void **state)
{
	static const char *const bad[] = {
		"", "\n", "<html>\n", "18.16.1", "18.16.1\t5", "18.16.1\tx\t\n", "x.y\t5\t\n", "18.16.1\t0\t\n",
	};
	struct export_features f;
	struct op_reason error;

	(void)state;
	assert_int_equal(export_features_parse(&f, "18.16.1\t1793527200\t\n"), 0);
	assert_string_equal(f.version, "18.16.1");
	assert_int_equal(f.now, 1793527200);
	assert_false(f.has_ttl || f.has_tokens || f.has_low_cardinality || f.has_async || f.has_zstd);
	assert_int_equal(export_features_parse(&f, "26.5.3.1\t1793527200\tinsert_deduplication_token,async_insert,"
						   "merge_with_ttl_timeout,non_replicated_deduplication_window\n"), 0);
	assert_true(f.has_ttl && f.has_tokens && f.has_low_cardinality && f.has_async && f.has_zstd);
	assert_int_equal(export_features_parse(&f, "20.1.1\t5\tinsert_deduplication_token\n"), 0);
	assert_false(f.has_tokens || f.has_ttl);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		next_answer = bad[i];
		*error.text = '\0';
		assert_int_equal(export_features_parse(&f, bad[i]), -EINVAL);
		assert_int_equal(export_features_read(&f, NULL, &error), FLEET_ERR_NOT_SERVER);
		assert_true(*error.text);
	}
	assert_int_equal(export_schema_version("1"), 1);
	assert_int_equal(export_schema_version("CAST(12, \\'UInt16\\')"), 12);
	assert_int_equal(export_schema_version(""), 0);
	assert_int_equal(export_schema_ttl("CREATE TABLE a.b (t Date) ORDER BY t TTL t + toIntervalDay(30) SETTINGS x"), 30);
	assert_int_equal(export_schema_ttl("CREATE TABLE a.b (t Date) ORDER BY t"), 0);
}

static void frames(void **state)
{
	char long_name[5000], other_name[5000], *text, *other;

	(void)state;
	assert_int_equal(export_frame_text(&text, "f(int)", "/bin/a", "0123"), 0);
	assert_string_equal(text, "f(int)\t/bin/a\t0123");
	free(text);
	assert_int_equal(export_frame_text(&text, "a\tb\n\xff'", NULL, NULL), 0);
	assert_string_equal(text, "a\\x09b\\x0a\\xff'\t\t");
	free(text);
	/* long names with the same begin stay different */
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	strcpy(other_name, long_name);
	other_name[sizeof(other_name) - 2] = 'y';
	assert_int_equal(export_frame_text(&text, long_name, NULL, NULL), 0);
	assert_int_equal(export_frame_text(&other, other_name, NULL, NULL), 0);
	assert_true(strlen(text) <= EXPORT_MAX_NAME + 2 && strlen(text) > EXPORT_MAX_NAME / 2);
	assert_string_not_equal(text, other);
	free(text);
	free(other);
	/* so do shorter names that are as long when their bytes are written as "\xHH" */
	memset(long_name, '\xff', 300);
	strcpy(long_name + 300, "x");
	strcpy(other_name, long_name);
	other_name[300] = 'y';
	assert_int_equal(export_frame_text(&text, long_name, NULL, NULL), 0);
	assert_int_equal(export_frame_text(&other, other_name, NULL, NULL), 0);
	assert_true(strlen(text) <= EXPORT_MAX_NAME + 2);
	assert_string_not_equal(text, other);
	free(text);
	free(other);
}

static void machines(void **state)
{
	char a[33], b[33];

	(void)state;
	assert_int_equal(export_host_machine(a, "0123456789abcdef0123456789abcdef\n"), 0);
	assert_int_equal(export_host_machine(b, "0123456789abcdef0123456789abcdee\n"), 0);
	assert_int_equal(strlen(a), 32);
	assert_string_not_equal(a, b);
	assert_null(strstr(a, "0123456789abcdef"));
	assert_int_equal(export_host_machine(b, "0123456789abcdef0123456789abcdef0\n"), -EINVAL);
	assert_int_equal(export_host_machine(b, "uninitialized\n"), -EINVAL);
	assert_int_equal(export_host_machine(b, ""), -EINVAL);
}

/* An interval is read by a time that no other interval contains. */
static void own_times(void **state)
{
	struct itv_entry e[] = {
		{ .name = "a", .begin = 100, .end = 200 }, { .name = "b", .begin = 140, .end = 260 },
		{ .name = "c", .begin = 150, .end = 160 },
	};
	const struct itv_list list = { .entries = e, .nr = 3 };
	const int64_t a = export_interval_own_time(&list, &e[0]), b = export_interval_own_time(&list, &e[1]);

	(void)state;
	assert_true(a >= 100 && a < 140);
	assert_true(b >= 200 && b < 260);
	assert_int_equal(export_interval_own_time(&list, &e[2]), INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers), cmocka_unit_test(frames), cmocka_unit_test(machines),
		cmocka_unit_test(own_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
