// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_known_paths.c -- tests the cache from call paths to tree nodes. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/store/known_paths.h"

/* more paths than the cache has entries */
#define MANY	200000u

static const struct opd_known_root root = {.tree = 1, .kernel = 2, .end = 3};
static const struct opd_known_process process = {.tgid = 4, .program = 5};
static const struct opd_frame in_file = {
	.offset = 6, .domain = OPD_USER_FILE, .image = (const void *)7};
static const struct opd_frame in_memory = {
	.offset = 8, .domain = OPD_USER_ANON, .anon = {9, 10, "anon"}};
static struct opd_known_paths *known;

static int setup(void **state)
{
	(void)state;
	known = opd_known_paths_create();
	return known ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	opd_known_paths_destroy(known);
	return 0;
}

static uint64_t enter(uint64_t hash, const struct opd_frame *frame)
{
	return opd_known_paths_enter(known, hash, frame, &process);
}

static void path_is_found(void **state)
{
	uint64_t hash = enter(enter(opd_known_paths_begin(known, &root), &in_file), &in_memory);

	(void)state;
	assert_int_equal(opd_known_paths_find(known, hash), 0);
	opd_known_paths_set(known, hash, 11);
	assert_int_equal(opd_known_paths_find(known, hash), 11);
	opd_known_paths_set(known, hash, 12);
	assert_int_equal(opd_known_paths_find(known, hash), 12);
	assert_int_equal(
		enter(enter(opd_known_paths_begin(known, &root), &in_file), &in_memory), hash);
}

static void each_member_changes_the_hash(void **state)
{
	uint64_t begin = opd_known_paths_begin(known, &root), hash;

	(void)state;
#define EXPECT_OTHER_ROOT(part)                                                                    \
	do {                                                                                       \
		struct opd_known_root other = root;                                                \
                                                                                                   \
		other.part++;                                                                      \
		assert_true(opd_known_paths_begin(known, &other) != begin);                        \
	} while (0)
#define EXPECT_OTHER(frame, change)                                                                \
	do {                                                                                       \
		struct opd_frame f = frame;                                                        \
		struct opd_known_process p = process;                                              \
                                                                                                   \
		hash = enter(begin, &f);                                                           \
		change;                                                                            \
		assert_true(opd_known_paths_enter(known, begin, &f, &p) != hash);                  \
	} while (0)
	EXPECT_OTHER_ROOT(tree);
	EXPECT_OTHER_ROOT(kernel);
	EXPECT_OTHER_ROOT(end);
	EXPECT_OTHER(in_file, f.offset++);
	EXPECT_OTHER(in_file, f.how++);
	EXPECT_OTHER(in_file, f.domain = OPD_KERNEL);
	EXPECT_OTHER(in_file, f.image = NULL);
	EXPECT_OTHER(in_memory, f.anon.start++);
	EXPECT_OTHER(in_memory, f.anon.end++);
	EXPECT_OTHER(in_memory, f.anon.label = "[heap]");
	EXPECT_OTHER(in_memory, p.tgid++);
	EXPECT_OTHER(in_memory, p.program++);
	assert_true(enter(enter(begin, &in_file), &in_memory) !=
		    enter(enter(begin, &in_memory), &in_file));
}

/* Code of a file is the same in all processes. */
static void processes_share_paths_in_files(void **state)
{
	const struct opd_known_process other = {.tgid = 100, .program = 101};
	uint64_t begin = opd_known_paths_begin(known, &root);

	(void)state;
	assert_true(opd_known_paths_enter(known, begin, &in_file, &other) ==
		    enter(begin, &in_file));
}

static void full_cache_loses_old_paths(void **state)
{
	struct opd_frame frame = in_file;
	uint64_t begin = opd_known_paths_begin(known, &root);
	uint32_t found = 0;

	(void)state;
	for (uint32_t i = 1; i <= MANY; i++) {
		frame.offset = i;
		opd_known_paths_set(known, enter(begin, &frame), i);
		assert_int_equal(opd_known_paths_find(known, enter(begin, &frame)), i);
	}
	for (uint32_t i = 1; i <= MANY; i++) {
		uint32_t node;

		frame.offset = i;
		node = opd_known_paths_find(known, enter(begin, &frame));
		assert_true(!node || node == i);
		found += node != 0;
	}
	assert_in_range(found, 1, MANY - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(path_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(each_member_changes_the_hash, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_share_paths_in_files, setup, teardown),
		cmocka_unit_test_setup_teardown(full_cache_loses_old_paths, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
