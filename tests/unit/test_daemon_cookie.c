// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_cookie.c -- tests the tables of cookies (the kernel's numbers of paths) and images,
 * and the labels of anonymous memory.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/image/anon.h"
#include "daemon/image/cookie.h"
#include "daemon/image/image.h"

struct fixture {
	struct opd_images *images;
	struct opd_cookies *cookies;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(opd_images_create(&f->images), 0);
	assert_int_equal(opd_cookies_create(&f->cookies, f->images, -1), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_cookies_destroy(f->cookies);
	opd_images_destroy(f->images);
	free(f);
	return 0;
}

static int read_text(struct fixture *f, const char *text, size_t len)
{
	FILE *file = fmemopen((void *)text, len, "r");
	int ret = opd_cookies_read(f->cookies, file);

	fclose(file);
	return ret;
}

static const char *path_of(struct fixture *f, uint64_t cookie)
{
	const struct opd_image *image = opd_cookies_image(f->cookies, cookie, 0);

	return image ? image->path : NULL;
}

static void test_cookie_table_is_parsed(void **state)
{
	struct fixture *f = *state;
	static const char text[] =
		"# a comment\n"
		"\n"
		"1a\t/bin/true\n"
		"ffffffffffffff00\t/with blank\n"
		"2b,7,8,1700000000\t/bin/false\n"
		"3\t/new\\nline\\ttab\\\\\n";
	const struct opd_image *image;

	assert_int_equal(read_text(f, text, strlen(text)), 0);
	assert_string_equal(path_of(f, 0x1a), "/bin/true");
	assert_string_equal(path_of(f, 0xffffffffffffff00), "/with blank");
	assert_string_equal(path_of(f, 3), "/new\nline\ttab\\");
	image = opd_cookies_image(f->cookies, 0x2b, 0);
	assert_int_equal(image->dev, 7);
	assert_int_equal(image->ino, 8);
	assert_int_equal(image->mtime, 1700000000);
	assert_null(path_of(f, 0));
	assert_null(path_of(f, 99));
}

static void test_bad_lines_are_counted(void **state)
{
	struct fixture *f = *state;
	static const char text[] = "x\t/a\n" "1 /a\n" "2\t\n" "0\t/zero\n" "3,4,y\t/b\n" "4\t/a\0b\n"
		"ffffffffffffffff0\t/toolong\n" "5\t/good";

	assert_int_equal(read_text(f, text, sizeof(text) - 1), 7);
	assert_string_equal(path_of(f, 5), "/good");
	assert_null(path_of(f, 2));
}

static void test_many_cookies_share_images(void **state)
{
	struct fixture *f = *state;
	char line[64];

	for (int i = 1; i < 5000; i++) {
		int n = snprintf(line, sizeof(line), "%x\t/lib/%d\n", i * 4096, i % 100);

		assert_int_equal(read_text(f, line, n), 0);
	}
	for (int i = 1; i < 5000; i++) {
		snprintf(line, sizeof(line), "/lib/%d", i % 100);
		assert_string_equal(path_of(f, i * 4096), line);
		/* A file that has two cookies has only one image. */
		if (i > 100)
			assert_ptr_equal(opd_cookies_image(f->cookies, i * 4096, 0),
					 opd_cookies_image(f->cookies, (i - 100) * 4096, 0));
	}
}

static void test_images_are_interned(void **state)
{
	struct fixture *f = *state;
	const struct opd_image *a = opd_images_intern(f->images, "/a", 1, 2, 3);

	assert_ptr_equal(opd_images_intern(f->images, "/a", 1, 2, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 1, 2, 4), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 1, 3, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 0, 2, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/b", 1, 2, 3), a);
	assert_string_equal(a->path, "/a");
}

/* The memory of the tables is limited, whatever users do. */
static void test_images_are_bounded(void **state)
{
	struct fixture *f = *state;
	char path[4096];
	int n = 0;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	path[0] = '/';
	while (n < 1000000 && opd_images_intern(f->images, path, 0, n, 0))
		n++;
	assert_in_range(n, 10000, 100000);
	/* Cookies that are already in the table stay in the table. */
	assert_non_null(opd_images_intern(f->images, path, 0, 0, 0));
}

static void test_anonymous_mappings_have_labels(void **state)
{
	(void)state;
	assert_string_equal(opd_anon_label("[heap]"), "[heap]");
	assert_string_equal(opd_anon_label("[stack:12]"), "[stack]");
	assert_string_equal(opd_anon_label("[vdso]"), "[vdso]");
	assert_string_equal(opd_anon_label("//anon"), "anon");
	assert_string_equal(opd_anon_label("{anon:x}/../"), "anon");
	assert_string_equal(opd_anon_label(""), "anon");
	assert_string_equal(opd_anon_label(NULL), "anon");
	assert_string_equal(opd_anon_kind_label(3), "[vdso]");
	assert_string_equal(opd_anon_kind_label(~0ul), "anon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cookie_table_is_parsed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_lines_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_cookies_share_images, setup, teardown),
		cmocka_unit_test_setup_teardown(test_images_are_interned, setup, teardown),
		cmocka_unit_test_setup_teardown(test_images_are_bounded, setup, teardown),
		cmocka_unit_test(test_anonymous_mappings_have_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
