// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_beside.c -- tests how a program finds its helpers: in a moved installation, in a build
 * tree, and in directories that other users may write to.
 */
#include "config.h"
#include "libop/base/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

static const char *const trees[] = { "../pp", NULL };

/* Create the file @name below the directory of @state, with its parent directories. */
static void make_file(void **state, const char *name)
{
	char path[300], *slash = path;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT, 0755);
	assert_true(fd >= 0);
	close(fd);
}

/*
 * Check that the program @self finds its helper at @expected; both paths are below the directory of
 * @state. If @expected is NULL, check that the search fails with @err.
 */
static void expect_found(void **state, const char *self, const char *expected, int err)
{
	const struct op_beside place = { "/conf/sbin", "/conf/lib/x/oprofile", trees };
	char program[300], path[300], *found, *real = NULL;

	snprintf(program, sizeof(program), "%s/%s", (char *)*state, self);
	errno = 0;
	found = op_beside_find_of(program, &place, "helper");
	if (!expected) {
		assert_null(found);
		assert_int_equal(errno, err);
		return;
	}
	assert_non_null(found);
	snprintf(path, sizeof(path), "%s/%s", (char *)*state, expected);
	real = realpath(found, NULL);
	assert_string_equal(real, path);
	free(real);
	free(found);
}

static void change_mode(void **state, const char *name, mode_t mode)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
	assert_int_equal(chmod(path, mode), 0);
}

static void test_helper_is_found_in_install_or_build_tree(void **state)
{
	make_file(state, "moved/sbin/daemon");
	expect_found(state, "moved/sbin/daemon", NULL, ENOENT);
	make_file(state, "moved/lib/x/oprofile/helper");
	expect_found(state, "moved/sbin/daemon", "moved/lib/x/oprofile/helper", 0);
	/* A helper is found in an installation below DESTDIR. */
	make_file(state, "root/conf/sbin/daemon");
	make_file(state, "root/conf/lib/x/oprofile/helper");
	expect_found(state, "root/conf/sbin/daemon", "root/conf/lib/x/oprofile/helper", 0);
	/* The helper in a build tree takes precedence over an installed one. */
	make_file(state, "moved/pp/helper");
	expect_found(state, "moved/sbin/daemon", "moved/pp/helper", 0);
}

/*
 * An installed program does not use a helper in a build tree that another user has created beside
 * the program's directory.
 */
static void test_installed_program_ignores_build_tree(void **state)
{
	char from[300], to[300], self[330];
	const struct op_beside place = { from, to, trees };
	char *found;

	make_file(state, "usr/sbin/daemon");
	make_file(state, "usr/pp/helper");
	snprintf(from, sizeof(from), "%s/usr/sbin", (char *)*state);
	snprintf(to, sizeof(to), "%s/usr/libexec", (char *)*state);
	snprintf(self, sizeof(self), "%s/daemon", from);
	assert_null(op_beside_find_of(self, &place, "helper"));
	assert_int_equal(errno, ENOENT);
	make_file(state, "usr/libexec/helper");
	found = op_beside_find_of(self, &place, "helper");
	assert_non_null(found);
	assert_int_equal(strncmp(found, to, strlen(to)), 0);
	free(found);
}

static void test_writable_directories_are_refused(void **state)
{
	make_file(state, "sbin/daemon");
	make_file(state, "lib/x/oprofile/helper");
	expect_found(state, "sbin/daemon", "lib/x/oprofile/helper", 0);
	change_mode(state, "lib", 0777);
	expect_found(state, "sbin/daemon", NULL, EPERM);
	/*
	 * A sticky directory that all users may write to is accepted, because users cannot replace
	 * each other's files there.
	 */
	change_mode(state, "lib", 01777);
	expect_found(state, "sbin/daemon", "lib/x/oprofile/helper", 0);
	change_mode(state, "lib", 0755);
	change_mode(state, "lib/x/oprofile/helper", 0757);
	expect_found(state, "sbin/daemon", NULL, EPERM);
	change_mode(state, "lib/x/oprofile/helper", 0755);
	expect_found(state, "sbin/daemon", "lib/x/oprofile/helper", 0);
}

/* A helper that another user owns is used only by that user's programs. */
static void test_helper_of_other_owner_is_refused(void **state)
{
	char path[300], program[300];

	if (geteuid() != 0)
		skip();
	make_file(state, "sbin/daemon");
	make_file(state, "lib/x/oprofile/helper");
	snprintf(program, sizeof(program), "%s/sbin/daemon", (char *)*state);
	snprintf(path, sizeof(path), "%s/lib/x/oprofile", (char *)*state);
	assert_int_equal(chown(path, 1234, 0), 0);
	expect_found(state, "sbin/daemon", NULL, EPERM);
	assert_int_equal(chown(program, 1234, 0), 0);
	expect_found(state, "sbin/daemon", "lib/x/oprofile/helper", 0);
	/*
	 * A helper that a group may write to is accepted only if the same group may write to the
	 * program.
	 */
	assert_int_equal(chown(path, 1234, 1234), 0);
	assert_int_equal(chmod(path, 0775), 0);
	expect_found(state, "sbin/daemon", NULL, EPERM);
	assert_int_equal(chown(program, 1234, 1234), 0);
	assert_int_equal(chmod(program, 0775), 0);
	expect_found(state, "sbin/daemon", "lib/x/oprofile/helper", 0);
}

/* A symbolic link to another user's file is judged like that file. */
static void test_link_is_checked_like_its_target(void **state)
{
	char target[300], link[300];

	make_file(state, "sbin/daemon");
	make_file(state, "planted/oprofile/helper");
	snprintf(target, sizeof(target), "%s/planted", (char *)*state);
	make_file(state, "lib/y");
	snprintf(link, sizeof(link), "%s/lib/x", (char *)*state);
	assert_int_equal(symlink(target, link), 0);
	expect_found(state, "sbin/daemon", "planted/oprofile/helper", 0);
	change_mode(state, "planted", 0777);
	expect_found(state, "sbin/daemon", NULL, EPERM);
}

/*
 * If another user changes a symbolic link in a directory like /tmp after the check, the checked
 * helper is used.
 */
static void test_replaced_link_keeps_checked_helper(void **state)
{
	const struct op_beside place = { "/conf/sbin", "/conf/lib/x/oprofile", trees };
	char program[300], link[300], good[300], planted[300], expected[320], *found, *real;

	make_file(state, "sbin/daemon");
	make_file(state, "good/helper");
	make_file(state, "planted/helper");
	change_mode(state, "", 01777);
	snprintf(program, sizeof(program), "%s/sbin/daemon", (char *)*state);
	snprintf(link, sizeof(link), "%s/pp", (char *)*state);
	snprintf(good, sizeof(good), "%s/good", (char *)*state);
	snprintf(planted, sizeof(planted), "%s/planted", (char *)*state);
	assert_int_equal(symlink(good, link), 0);
	found = op_beside_find_of(program, &place, "helper");
	assert_non_null(found);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(planted, link), 0);
	real = realpath(found, NULL);
	snprintf(expected, sizeof(expected), "%s/helper", good);
	assert_string_equal(real, expected);
	free(real);
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_helper_is_found_in_install_or_build_tree),
		test_in_dir(test_installed_program_ignores_build_tree),
		test_in_dir(test_writable_directories_are_refused),
		test_in_dir(test_helper_of_other_owner_is_refused),
		test_in_dir(test_link_is_checked_like_its_target),
		test_in_dir(test_replaced_link_keeps_checked_helper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
