// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_session_files.c -- tests the parser of the names of sample files and trees in a session:
 * the properties that a name contains, and refused names.
 */
#include "config.h"
#include "pp/session/files.h"

#include <limits.h>

#include "tests/unit/check.h"

#define DIR	"/session/samples/current"
#define EVENT	"TIMER.1000000.0.all.all.all"

static void test_names_of_files(void **state)
{
	struct pp_files files = { 0 };

	(void)state;
	assert_int_equal(pp_files_add_name(&files, DIR, "{root}/bin/a/{dep}/{root}/lib/b/" EVENT, 0), 0);
	assert_int_equal(pp_files_add_name(&files, DIR, "paths/root/bin/a/" EVENT, 0), 0);
	assert_int_equal(files.nr, 1);
	assert_int_equal(files.nr_trees, 1);
	assert_string_equal(files.items[0].path, DIR "/{root}/bin/a/{dep}/{root}/lib/b/" EVENT);
	assert_string_equal(files.items[0].app, "/bin/a");
	assert_string_equal(files.items[0].image, "/lib/b");
	assert_string_equal(files.items[0].name.event, "TIMER");
	assert_string_equal(files.trees[0].path, DIR "/paths/root/bin/a/" EVENT);
	assert_string_equal(files.trees[0].app, "/bin/a");
	pp_files_release(&files);
}

static void test_other_file_names_are_refused(void **state)
{
	static const char *const names[] = {
		"", "/", "..", "x", "stats/totals", "paths/frames", "paths/",
		"/{root}/bin/a/{dep}/{root}/lib/b/" EVENT,
		"../{root}/bin/a/{dep}/{root}/lib/b/" EVENT,
		"{root}/../../../../other/{root}/bin/a/{dep}/{root}/lib/b/" EVENT,
		"paths/root/../../../bin/a/" EVENT,
	};
	char name[PATH_MAX + 100];
	struct pp_files files = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(pp_files_add_name(&files, DIR, names[i], 0), 0);
	memset(name, 'a', sizeof(name));
	snprintf(name + PATH_MAX - 30, 130, "/{dep}/{root}/lib/b/" EVENT);
	memcpy(name, "{root}/", 7);
	assert_int_equal(pp_files_add_name(&files, DIR, name, 0), 0);
	for (size_t i = 0; i < files.nr; i++)
		print_error("%s\n", files.items[i].path);
	assert_int_equal(files.nr, 0);
	assert_int_equal(files.nr_trees, 0);
	pp_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_files),
		cmocka_unit_test(test_other_file_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
