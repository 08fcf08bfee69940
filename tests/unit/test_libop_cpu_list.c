// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_cpu_list.c -- tests the parser of CPU lists in sysfs's format. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/cpu/list.h"

static bool set[OP_MAX_CPUS];

static size_t count_set(void)
{
	size_t n = 0;

	for (size_t i = 0; i < OP_MAX_CPUS; i++)
		n += set[i];
	return n;
}

static void lists_are_parsed(void **state)
{
	(void)state;
	assert_int_equal(op_cpu_list_parse(set, "0\n"), 0);
	assert_true(set[0] && count_set() == 1);
	assert_int_equal(op_cpu_list_parse(set, "0-3,5,8-9\n"), 0);
	assert_true(set[0] && set[3] && set[5] && set[8] && set[9] && count_set() == 7);
	assert_int_equal(op_cpu_list_parse(set, "8191"), 0);
	assert_true(set[8191] && count_set() == 1);
	assert_int_equal(op_cpu_list_parse(set, "\n"), 0);
	assert_int_equal(count_set(), 0);
}

static void invalid_lists_are_refused(void **state)
{
	static const char *const bad[] = { "a", "1-", "3-1", "-1", "1,,2", "1 2", "8192", "0-9999",
					   "99999999999999999999", "1;2", " 1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(op_cpu_list_parse(set, bad[i]), -EINVAL);
}

static void changes_are_reported_once(void **state)
{
	struct op_online_cpus o = { .fd = -1 };

	(void)state;
	if (op_online_cpus_open(&o))
		skip();
	assert_int_equal(op_online_cpus_changed(&o, set), 1);
	assert_true(count_set() >= 1);
	assert_int_equal(op_online_cpus_changed(&o, set), 0);
	op_online_cpus_forget(&o);
	assert_int_equal(op_online_cpus_changed(&o, set), 1);
	op_online_cpus_close(&o);
	op_online_cpus_close(&o);
	assert_true(op_online_cpus_changed(&o, set) < 0);
}

static bool is_wanted(const char *list, const char *sysfs, int cpu)
{
	assert_int_equal(op_cpus_select(set, list, sysfs), 0);
	return set[cpu];
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void isolated_cpus_are_excluded(void **state)
{
	char dir[] = "/tmp/test_cpu_list.XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	/* "auto" selects the CPU if the files of sysfs do not exist */
	assert_true(is_wanted("auto", dir, 2));
	write_file(dir, "isolated", "2-3\n");
	write_file(dir, "nohz_full", "(null)\n");
	assert_true(is_wanted("auto", dir, 1));
	assert_false(is_wanted("auto", dir, 2));
	write_file(dir, "nohz_full", "1,5\n");
	assert_false(is_wanted("auto", dir, 1));
	assert_false(is_wanted("auto", dir, 3));
	assert_true(is_wanted("auto", dir, 0));
	assert_true(is_wanted("all", dir, 5));
	assert_true(is_wanted("2,5", dir, 5));
	assert_false(is_wanted("2,5", dir, 1));
	assert_int_equal(op_cpus_select(set, "", dir), -EINVAL);
	assert_int_equal(op_cpus_select(set, "some", dir), -EINVAL);
	snprintf(path, sizeof(path), "%s/isolated", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/nohz_full", dir);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_parsed),
		cmocka_unit_test(invalid_lists_are_refused),
		cmocka_unit_test(changes_are_reported_once),
		cmocka_unit_test(isolated_cpus_are_excluded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
