// SPDX-License-Identifier: GPL-2.0-or-later
/* test_fleet_target.c -- URLs of databases and collectors, and files of passwords. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "fleet/target.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

typedef int parse_fn(struct fleet_target *ret, const char *text, struct op_reason *error);

struct good {
	const char *text, *url, *user, *database;
	bool is_local, is_plain;
};

static void accept_all(parse_fn *parse, const struct good *good, size_t nr)
{
	struct op_reason error;

	for (size_t i = 0; i < nr; i++) {
		struct fleet_target t = { .option = "--x", .ca = "ca", .cert = "cert", .key = "key" };

		assert_int_equal(parse(&t, good[i].text, &error), 0);
		assert_string_equal(t.url, good[i].url);
		if (good[i].user)
			assert_string_equal(t.user, good[i].user);
		else
			assert_null(t.user);
		if (good[i].database)
			assert_string_equal(t.database, good[i].database);
		else
			assert_null(t.database);
		assert_int_equal(t.is_local, good[i].is_local);
		assert_int_equal(t.is_plain, good[i].is_plain);
		assert_string_equal(t.option, "--x");
		assert_string_equal(t.ca, "ca");
		assert_string_equal(t.cert, "cert");
		assert_string_equal(t.key, "key");
		fleet_target_release(&t);
	}
}

/* Each URL is refused, with a message that begins with the option and contains @words. */
static void refuse_all(parse_fn *parse, const char *const *bad, size_t nr, const char *words)
{
	struct op_reason error;

	for (size_t i = 0; i < nr; i++) {
		struct fleet_target t = { .option = "--x" };

		*error.text = '\0';
		assert_int_equal(parse(&t, bad[i], &error), -EINVAL);
		assert_ptr_equal(strstr(error.text, "--x: "), error.text);
		assert_non_null(strstr(error.text, words));
		assert_null(t.url);
	}
}

static const struct good http[] = {
	{ "http://127.0.0.1:8123/db", "http://127.0.0.1:8123/", "default", "db", true, false },
	{ "http://me@localhost/d_1", "http://localhost/", "me", "d_1", true, false },
	{ "https://a.b@db.example:8443/X", "https://db.example:8443/", "a.b", "X", false, false },
	{ "http://db.example:8123/x", "http://db.example:8123/", "default", "x", false, true },
	{ "http://localhost.example/x", "http://localhost.example/", "default", "x", false, true },
	{ "http://[::1]:8123/x", "http://[::1]:8123/", "default", "x", true, false },
	{ "https://[::1]/x", "https://[::1]/", "default", "x", true, false },
	{ "http://127.example/x", "http://127.example/", "default", "x", false, true },
	{ "http://127.0.0.1.example/x", "http://127.0.0.1.example/", "default", "x", false, true },
};

static const struct good clickhouse[] = {
	{ "clickhouse://h/x", "http://h:8123/", "default", "x", false, true },
	{ "clickhouse://me@h:1/x", "http://h:1/", "me", "x", false, true },
	{ "clickhouses://h/x", "https://h:8443/", "default", "x", false, false },
	{ "clickhouse://[::1]/x", "http://[::1]:8123/", "default", "x", true, false },
	{ "clickhouses://[::1]:9/x", "https://[::1]:9/", "default", "x", true, false },
};

static void databases(void **state)
{
	static const char *const bad[] = {
		"", "db", "http://", "http:///db", "http://h", "http://h/", "http://h/a/b", "http://h/a?b=c",
		"ftp://h/a", "httpx://h/a", "http://h/a`b", "http://h/1a", "http://@h/a", "http://h\n/a",
		"http://h/a'", "http://u'@h/a", "HTTP://h/a", "clickhousex://h/a",
	};
	static const char *const secret[] = { "http://a:b@h/x", "http://:b@h/x" };
	const char *names[NR(clickhouse)];

	(void)state;
	accept_all(fleet_target_parse, http, NR(http));
	accept_all(fleet_target_parse, clickhouse, NR(clickhouse));
	accept_all(fleet_target_parse_http, http, NR(http));
	refuse_all(fleet_target_parse, bad, NR(bad), "/DATABASE or clickhouse[s]://...");
	refuse_all(fleet_target_parse_http, bad, NR(bad), "/DATABASE");
	refuse_all(fleet_target_parse, secret, NR(secret), "--password-file=FILE");
	refuse_all(fleet_target_parse_http, secret, NR(secret), "--password-file=FILE");
	for (size_t i = 0; i < NR(clickhouse); i++) {
		names[i] = clickhouse[i].text;
		assert_true(fleet_target_is(names[i]));
	}
	refuse_all(fleet_target_parse_http, names, NR(names), "http[s]://[USER@]HOST[:PORT]/DATABASE");
	assert_true(fleet_target_is("https://"));
	assert_false(fleet_target_is("image:/bin/sh") || fleet_target_is("httpx://h") || fleet_target_is("://"));
}

static void collectors(void **state)
{
	static const struct good good[] = {
		{ "http://127.0.0.1:4318", "http://127.0.0.1:4318/v1development/profiles", NULL, NULL, true, false },
		{ "http://h/", "http://h/v1development/profiles", NULL, NULL, false, true },
		{ "https://me@h:1/a/b-c~d//", "https://h:1/a/b-c~d/v1development/profiles", "me", NULL, false, false },
	};
	static const char *const bad[] = {
		"", "h", "http://", "ftp://h/", "clickhouse://h/", "http://h/a?b", "http://h/a#b", "http://@h/",
		"http://h/a b", "http://u'@h",
	};
	static const char *const secret[] = { "http://a:b@h/", "https://a:b@h" };

	(void)state;
	accept_all(fleet_target_parse_otlp, good, NR(good));
	refuse_all(fleet_target_parse_otlp, bad, NR(bad), "must be http[s]://[USER@]HOST[:PORT][/PATH]");
	refuse_all(fleet_target_parse_otlp, secret, NR(secret), "--password-file=FILE");
}

static void too_long(void **state)
{
	struct fleet_target t = { .option = "--x" };
	struct op_reason error;
	char text[3000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "http://", 7);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(fleet_target_parse(&t, text, &error), -EINVAL);
	assert_string_equal(error.text, "--x: the URL is too long");
	assert_int_equal(fleet_target_parse_otlp(&t, text, &error), -EINVAL);
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void passwords(void **state)
{
	static const struct {
		const char *text, *password;	/* NULL: refused */
	} files[] = {
		{ "secret\nmore\n", "secret" }, { "a b\r\n", "a b" }, { "last", "last" }, { "", NULL },
		{ "\nsecret\n", NULL },
	};
	char dir[] = "/tmp/test_fleet_target.XXXXXX", path[100], long_text[5000];
	struct fleet_target t = { .option = "--x" };
	struct op_reason error;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/" FLEET_CREDENTIAL, dir);
	for (size_t i = 0; i < NR(files); i++) {
		write_file(path, files[i].text, strlen(files[i].text));
		assert_int_equal(fleet_target_read_password(&t, path, &error), files[i].password ? 0 : -EINVAL);
		if (files[i].password)
			assert_string_equal(t.password, files[i].password);
		else
			assert_null(strstr(error.text, "secret"));
		fleet_target_release(&t);
	}
	memset(long_text, 'p', sizeof(long_text));
	write_file(path, long_text, sizeof(long_text));
	assert_int_equal(fleet_target_read_password(&t, path, &error), -EFBIG);
	assert_null(strstr(error.text, "pp"));
	assert_int_equal(fleet_target_read_password(&t, dir, &error), -EINVAL);

	/* the credential is read only without a file, and may be missing or empty */
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", dir, 1), 0);
	write_file(path, "of systemd\n", 11);
	assert_int_equal(fleet_target_read_password(&t, NULL, &error), 0);
	assert_string_equal(t.password, "of systemd");
	fleet_target_release(&t);
	write_file(path, "\n", 1);
	assert_int_equal(fleet_target_read_password(&t, NULL, &error), 0);
	assert_null(t.password);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fleet_target_read_password(&t, NULL, &error), 0);
	assert_null(t.password);
	assert_int_equal(fleet_target_read_password(&t, path, &error), -ENOENT);
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	assert_int_equal(fleet_target_read_password(&t, NULL, &error), 0);
	assert_null(t.password);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(databases), cmocka_unit_test(collectors), cmocka_unit_test(too_long),
		cmocka_unit_test(passwords),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
