// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_cgroups.c -- tests paths of control groups: names from the kernel and from the file
 * system, limits of paths, and limits of numbers against users with many groups.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "daemon/image/cgroups.h"

#define USER	"/user.slice/user-7.slice/user@7.service"

static void test_names(void **state)
{
	struct opd_cgroups *c;
	const char *unit;

	(void)state;
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	assert_null(opd_cgroups_unit(c, 5));
	opd_cgroups_name(c, 5, "/system.slice/a.service");
	opd_cgroups_name(c, 6, "/system.slice/b.service");
	opd_cgroups_name(c, 1, "/");
	unit = opd_cgroups_unit(c, 5);
	assert_string_equal(unit, "/system.slice/a.service");
	assert_string_equal(opd_cgroups_unit(c, 6), "/system.slice/b.service");
	assert_string_equal(opd_cgroups_unit(c, 1), "/");
	/* a group that was removed and created again */
	opd_cgroups_name(c, 7, "/system.slice/a.service");
	assert_ptr_equal(opd_cgroups_unit(c, 7), unit);
	/* a renamed group */
	opd_cgroups_name(c, 6, "/system.slice/c.service");
	assert_string_equal(opd_cgroups_unit(c, 6), "/system.slice/c.service");
	opd_cgroups_name(c, 8, "no path");
	assert_null(opd_cgroups_unit(c, 8));
	opd_cgroups_new_session(c);
	assert_string_equal(opd_cgroups_unit(c, 5), "/system.slice/a.service");
	assert_null(opd_cgroups_unit(c, 0));
	assert_null(opd_cgroups_unit(NULL, 5));
	opd_cgroups_name(NULL, 5, "/");
	opd_cgroups_destroy(c);
	opd_cgroups_destroy(NULL);
}

static uint64_t make_group(const char *dir, const char *path)
{
	char name[512];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", dir, path);
	assert_true(!*path || !mkdir(name, 0755));
	assert_int_equal(stat(name, &st), 0);
	return st.st_ino;
}

/* Without a record of its creation, a group is found in the file system. */
static void test_search(void **state)
{
	char file[300], root[300];
	struct opd_cgroups *c;
	uint64_t unit, other, top;
	FILE *f;

	snprintf(file, sizeof(file), "%s/mountinfo", (char *)*state);
	snprintf(root, sizeof(root), "%s/groups", (char *)*state);
	assert_int_equal(mkdir(root, 0755), 0);
	f = fopen(file, "w");
	fprintf(f, "20 1 0:20 / /nowhere rw - cgroup cgroup rw,memory,perf_events\n"
		   "21 1 0:21 /below /nowhere rw - cgroup2 cgroup2 rw\n"
		   "22 1 0:22 / %s rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		   "23 1 0:22 / /nowhere rw - cgroup2 cgroup2 rw\n", root);
	fclose(f);
	top = make_group(root, "");
	make_group(root, "/system.slice");
	unit = make_group(root, "/system.slice/a.service");
	other = make_group(root, "/system.slice/a\n{dep}");
	assert_int_equal(opd_cgroups_create(&c, file), 0);
	assert_string_equal(opd_cgroups_unit(c, unit), "/system.slice/a.service");
	assert_string_equal(opd_cgroups_unit(c, other), "/system.slice/a\n{dep}");
	assert_string_equal(opd_cgroups_unit(c, top), "/");
	/* The next search is some seconds later. */
	other = make_group(root, "/system.slice/b.service");
	assert_null(opd_cgroups_unit(c, other));
	opd_cgroups_destroy(c);
}

/* The hierarchy of cgroup v1 with perf_event is the one whose ids samples have. */
static void test_search_v1(void **state)
{
	char file[300], root[300], other[300];
	struct opd_cgroups *c;
	FILE *f;

	snprintf(file, sizeof(file), "%s/mountinfo1", (char *)*state);
	snprintf(root, sizeof(root), "%s/groups1", (char *)*state);
	snprintf(other, sizeof(other), "%s/groups2", (char *)*state);
	assert_int_equal(mkdir(root, 0755), 0);
	assert_int_equal(mkdir(other, 0755), 0);
	f = fopen(file, "w");
	fprintf(f, "21 1 0:21 / %s rw - cgroup2 cgroup2 rw\n"
		   "22 1 0:22 / %s rw - cgroup cgroup rw,net_cls,perf_event\n", other, root);
	fclose(f);
	assert_int_equal(opd_cgroups_create(&c, file), 0);
	assert_string_equal(opd_cgroups_unit(c, make_group(root, "/docker")), "/docker");
	opd_cgroups_destroy(c);

	/* The ids of the kernel module are those of the default hierarchy. */
	assert_int_equal(opd_cgroups_create(&c, file), 0);
	opd_cgroups_use_default(c);
	assert_string_equal(opd_cgroups_unit(c, make_group(other, "/a.service")), "/a.service");
	assert_null(opd_cgroups_unit(c, make_group(root, "/podman")));
	assert_true(opd_cgroups_exist(c));
	opd_cgroups_destroy(c);
	opd_cgroups_use_default(NULL);
}

/* Where only cgroup v1 is mounted, the kernel module finds no groups. */
static void test_only_v1(void **state)
{
	struct opd_cgroups *c;
	char file[300];
	FILE *f;

	snprintf(file, sizeof(file), "%s/mountinfo2", (char *)*state);
	f = fopen(file, "w");
	fprintf(f, "22 1 0:22 / /nowhere rw - cgroup cgroup rw,perf_event\n");
	fclose(f);
	assert_int_equal(opd_cgroups_create(&c, file), 0);
	assert_true(opd_cgroups_exist(c));
	opd_cgroups_use_default(c);
	assert_false(opd_cgroups_exist(c));
	opd_cgroups_destroy(c);

	/* The file system is not searched. */
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	assert_true(opd_cgroups_exist(c));
	opd_cgroups_destroy(c);
	assert_true(opd_cgroups_exist(NULL));
}

/* A path that is too long for the name of a sample file is cut between components. */
static void test_long_paths(void **state)
{
	char path[5000] = "", part[300];
	struct opd_cgroups *c;

	(void)state;
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	for (int i = 0; i < 40; i++)
		strcat(path, "/abc");
	opd_cgroups_name(c, 5, path);
	assert_int_equal(strlen(opd_cgroups_unit(c, 5)), 4 * OPD_CGROUPS_DEPTH);
	memset(part, 'x', 254);
	part[254] = '\0';
	snprintf(path, sizeof(path), "/%s/%s/%s", part, part, part);
	opd_cgroups_name(c, 6, path);
	assert_int_equal(strlen(opd_cgroups_unit(c, 6)), 255);
	/* "{dep}" grows by two bytes in the name of a sample file. */
	part[0] = '{';
	snprintf(path, sizeof(path), "/a/%s", part);
	opd_cgroups_name(c, 7, path);
	assert_string_equal(opd_cgroups_unit(c, 7), "/a");
	opd_cgroups_destroy(c);
}

/* A user with many groups does not use up the groups of others. */
static void test_many_groups_of_a_user(void **state)
{
	struct opd_cgroups *c;
	size_t own = 0;
	char path[200];

	(void)state;
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	for (uint64_t i = 0; i < 100000; i++) {
		snprintf(path, sizeof(path), "%s/app.slice/run-%d.service", USER, (int)i);
		opd_cgroups_name(c, 1000 + i, path);
		if (!strcmp(opd_cgroups_unit(c, 1000 + i), path))
			own++;
		else
			assert_string_equal(opd_cgroups_unit(c, 1000 + i), USER);
	}
	assert_int_equal(own, OPD_CGROUPS_INNER);
	/* Ten thousand units of the machine have samples of their own. */
	for (uint64_t i = 0; i < 10000; i++) {
		snprintf(path, sizeof(path), "/system.slice/u%d.service", (int)i);
		opd_cgroups_name(c, 1000000 + i, path);
		assert_string_equal(opd_cgroups_unit(c, 1000000 + i), path);
	}
	opd_cgroups_destroy(c);
}

static void test_too_many_units(void **state)
{
	struct opd_cgroups *c;
	char path[200];

	(void)state;
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	for (uint64_t i = 0; i < OPD_CGROUPS_UNITS + 10; i++) {
		snprintf(path, sizeof(path), "/system.slice/u%d.service", (int)i);
		opd_cgroups_name(c, 1 + i, path);
		assert_string_equal(opd_cgroups_unit(c, 1 + i),
				    i < OPD_CGROUPS_UNITS ? path : OPD_CGROUPS_MORE);
	}
	opd_cgroups_new_session(c);
	assert_string_equal(opd_cgroups_unit(c, OPD_CGROUPS_UNITS + 10), path);
	opd_cgroups_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_search, check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_search_v1, check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_only_v1, check_make_dir, check_remove_dir),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_many_groups_of_a_user),
		cmocka_unit_test(test_too_many_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
