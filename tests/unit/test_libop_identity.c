// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_identity.c -- tests the identity of a binary's build, and the name of its symbol
 * table.
 */
#include "config.h"
#include "libop/session/identity.h"

#include <errno.h>

#include "tests/unit/check.h"

static void test_identity_of_build_id(void **state)
{
	(void)state;
	assert_int_equal(op_identity_of_build_id((const uint8_t[]){ 0x12, 0x34, 0x56, 0x78, 0x9a }, 5), 0x12345678);
	assert_int_equal(op_identity_of_build_id((const uint8_t[]){ 0x12 }, 1), 0x12);
	/* If the hash of a build-id is 0, the identity is 1, because 0 means unknown. */
	assert_int_equal(op_identity_of_build_id((const uint8_t[]){ 0, 0, 0, 0, 5 }, 5), 1);
	assert_int_equal(op_identity_of_build_id(NULL, 0), 0);
	assert_int_equal(op_identity_of_owner(0), 1);
	assert_int_equal(op_identity_of_owner(1000), 1001);
}

static uint32_t identify(void **state, const char *bytes, size_t len, size_t size)
{
	int dir = check_open_dir(state), fd = openat(dir, "f", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t build;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(pwrite(fd, bytes, len, size - len), len);
	build = op_identity_of_contents(fd);
	assert_int_equal(op_identity_of_contents(fd), build);
	close(fd);
	close(dir);
	return build;
}

/*
 * Files that differ in size, beginning or end have different identities; only regular files have an
 * identity.
 */
static void test_identity_of_contents(void **state)
{
	uint32_t small = identify(state, "abc", 3, 3), large = identify(state, "abc", 3, 1 << 20);
	int pipes[2];

	assert_int_not_equal(small, 0);
	assert_int_equal(identify(state, "abc", 3, 3), small);
	assert_int_not_equal(identify(state, "abd", 3, 3), small);
	assert_int_not_equal(identify(state, "abc", 3, 4), small);
	assert_int_not_equal(identify(state, "abd", 3, 1 << 20), large);
	assert_int_not_equal(identify(state, "abc", 3, (1 << 20) + 1), large);
	assert_int_not_equal(identify(state, "", 0, 0), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(op_identity_of_contents(pipes[0]), 0);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_table_names(void **state)
{
	const struct op_identity known = { 0x12345678, 1001 };
	const uint8_t id[21] = { 0xab, 0xcd };
	char name[OP_TABLE_NAME_SIZE] = "as before";

	(void)state;
	assert_int_equal(op_table_name(name, &(struct op_identity){ 0, 1 }, 5, id, 2), -EINVAL);
	assert_int_equal(op_table_name(name, &(struct op_identity){ 1, 0 }, 5, id, 2), -EINVAL);
	assert_int_equal(op_table_name(name, &known, 5, id, 21), -EINVAL);
	assert_string_equal(name, "as before");
	assert_int_equal(op_table_name(name, &known, 5, id, 2), 0);
	assert_string_equal(name, "abcd-1000.gz");
	assert_int_equal(op_table_name(name, &known, 0x5f, id, 0), 0);
	assert_string_equal(name, "contents-12345678-5f-1000.gz");
	assert_int_equal(op_table_name(name, &(struct op_identity){ UINT32_MAX, UINT32_MAX }, UINT64_MAX, id, 20), 0);
	assert_true(strlen(name) < sizeof(name));
}

static void test_version_suffix_is_ignored(void **state)
{
	static const struct { const char *path; size_t len; } paths[] = {
		{ "/bin/cc", 7 }, { "/bin/cc (version of 2026-11-29 09:18:31 UTC)", 7 },
		{ "/bin/cc (build 0123abcd)", 7 }, { "/bin/cc (version of 12)", 7 },
		{ "/a (build 1)/cc", 15 }, { "/bin/cc (build 1) ", 18 }, { "/bin/cc (build 1", 16 },
		{ "/bin/cc (deleted)", 17 }, { "cc (build 1)", 2 }, { "", 0 },
	};
	char suffix[OP_VERSION_SUFFIX_SIZE], path[200];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(op_unversioned_length(paths[i].path), paths[i].len);
	op_version_suffix(suffix, 1795943911);
	snprintf(path, sizeof(path), "/bin/cc%s", suffix);
	assert_int_equal(op_unversioned_length(path), 7);
	op_version_suffix(suffix, OP_VERSION_BUILD | 0xabc);
	snprintf(path, sizeof(path), "/bin/cc%s", suffix);
	assert_int_equal(op_unversioned_length(path), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity_of_build_id),
		test_in_dir(test_identity_of_contents),
		cmocka_unit_test(test_table_names),
		cmocka_unit_test(test_version_suffix_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
