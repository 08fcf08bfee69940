// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_new_files.c -- tests the budgets of new files: each user has one budget, whatever the
 * number of the user's ids.
 */
#include "config.h"
#include "daemon/store/new_files.h"

#include "daemon/image/image.h"
#include "daemon/store/sample_path.h"
#include "libop/session/mangle.h"
#include "tests/unit/check.h"

#define BUDGET	100

static struct opd_new_files *create(const char *dir, const char *subuid)
{
	struct opd_new_files *n;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/subuid", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(subuid, f);
	assert_int_equal(fclose(f), 0);
	n = opd_new_files_create(BUDGET, dir, path);
	assert_non_null(n);
	return n;
}

/* Return whether the owner of a program may create another sample file; if so, count this file. */
static bool spend_file(struct opd_new_files *n, uint32_t uid)
{
	const struct opd_image app = { .path = "/p", .identity.owner = uid + 1 };
	const struct opd_file_key key = { .app = &app, .tgid = OP_ALL, .tid = OP_ALL };
	struct opd_new_files_user *user = opd_new_files_user(n, &key);

	if (!opd_new_files_may(n, user))
		return false;
	opd_new_files_spend(user, 0);
	return true;
}

static void test_subuid_range_shares_one_budget(void **state)
{
	struct opd_new_files *n = create(*state, "# none\nroot:0:7\nx:y:z\nu:1:\nalice:100000:65536\nbob:165536:65536\n");
	unsigned int got = 0;

	for (uint32_t i = 0; i < 5000; i++)
		got += spend_file(n, 100000 + i);
	/* more files may be allowed, because time has passed during the loop */
	assert_in_range(got, BUDGET, BUDGET + 20);
	assert_true(spend_file(n, 165536));
	assert_true(spend_file(n, 99999));
	opd_new_files_destroy(n);
}

/*
 * If many unused user ids fill the table, users in the table keep their entries, and later users
 * get no entry.
 */
static void test_full_table_keeps_known_users(void **state)
{
	struct opd_new_files *n = create(*state, "");

	assert_true(spend_file(n, 1000));
	for (uint32_t i = 0; i < 5000; i++)
		spend_file(n, 2000000 + i);
	assert_false(spend_file(n, 3000000));
	assert_true(spend_file(n, 1000));
	opd_new_files_destroy(n);
}

/* /proc/PID of a process that hides its memory, or now runs as root, belongs to root; the user who
 * started the process is charged. */
static void test_starting_user_is_charged(void **state)
{
	const struct opd_image app = { .path = "/p", .identity.owner = 1 };
	struct opd_file_key key = { .app = &app, .tgid = 10, .tid = OP_ALL };
	struct opd_new_files *n;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/10", (char *)*state);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/status");
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("Name:\thidden\nUid:\t100007\t0\t0\t0\n", f);
	assert_int_equal(fclose(f), 0);
	n = create(*state, "alice:100000:65536\n");
	assert_non_null(opd_new_files_user(n, &key));
	key.anon_label = "anon";
	key.anon_tgid = key.tgid;
	assert_non_null(opd_new_files_user(n, &key));
	/* Programs with a subordinate user id of a user are charged to this user. */
	for (int i = 0; i < BUDGET; i++)
		opd_new_files_spend(opd_new_files_user(n, &key), 0);
	assert_false(spend_file(n, 100000));
	key.anon_label = NULL;
	/* The process has ended, so root, the owner of the program, is charged. */
	key.tgid = 11;
	assert_null(opd_new_files_user(n, &key));
	opd_new_files_destroy(n);
}

/*
 * A user who chooses paths that look like the names of the common sample files, in a user
 * namespace, does not write to these files.
 */
static void test_paths_named_like_common_files_are_separate(void **state)
{
	static const char *const paths[] = {
		"/(1)/program", "/(more programs)", "/(more programs of user 7)",
	};
	struct opd_new_files *n = create(*state, "");
	struct opd_file_key instead;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct opd_image app = { .path = (char *)paths[i], .identity.owner = 1001 };
		const struct opd_file_key key = { .app = &app, .tgid = OP_ALL, .tid = OP_ALL };
		struct opd_new_files_user *user = opd_new_files_user(n, &key);

		assert_non_null(user);
		/* the common sample file itself needs no budget */
		opd_new_files_instead(user, &key, &instead);
		assert_null(opd_new_files_user(n, &instead));
	}
	opd_new_files_destroy(n);
}

/* The name of a file of wakers has the path of the woken program. If the waker is the kernel or a
 * program of root, the user of the woken program pays. Files of woken threads of the kernel are
 * charged to no user. */
static void test_woken_user_is_charged(void **state)
{
	const struct opd_image root = { .path = "/root", .identity.owner = 1 };
	const struct opd_image woken = { .path = "/woken", .identity.owner = 1001 };
	const struct opd_image *const wakers[] = { NULL, &root };
	struct opd_new_files *n = create(*state, "");
	struct opd_new_files_user *user;
	struct opd_file_key key = { .tgid = OP_ALL, .tid = OP_ALL }, instead;

	for (size_t i = 0; i < sizeof(wakers) / sizeof(wakers[0]); i++) {
		key.app = wakers[i];
		key.woken = &woken;
		user = opd_new_files_user(n, &key);
		assert_non_null(user);
		opd_new_files_instead(user, &key, &instead);
		assert_null(opd_new_files_user(n, &instead));
		assert_string_equal(instead.woken->path, "/(more programs of user 1000)");
		key.woken = &opd_kernel_threads;
		assert_null(opd_new_files_user(n, &key));
	}
	opd_new_files_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_subuid_range_shares_one_budget,
						check_make_dir, check_remove_dir),
		test_in_dir(test_woken_user_is_charged),
		test_in_dir(test_paths_named_like_common_files_are_separate),
		cmocka_unit_test_setup_teardown(test_full_table_keeps_known_users,
						check_make_dir, check_remove_dir),
		test_in_dir(test_starting_user_is_charged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
