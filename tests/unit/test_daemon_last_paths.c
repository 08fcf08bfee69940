// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_last_paths.c -- tests the comparison of a path with the thread's previous path. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/store/last_paths.h"

#define FRAMES 300

static struct opd_last_paths *last_paths;
static struct opd_frame frames[FRAMES];
static const struct opd_frame leaf = {.offset = 5, .domain = OPD_KERNEL};
static const struct opd_last_path_key usual = {.tgid = 3, .tid = 4};

static int setup(void **state)
{
	(void)state;
	last_paths = opd_last_paths_create();
	for (size_t i = 0; i < FRAMES; i++)
		frames[i] = (struct opd_frame){
			.offset = i, .domain = OPD_USER_ANON, .anon = {1, 2, "anon"}};
	return last_paths ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	opd_last_paths_destroy(last_paths);
	return 0;
}

/* Store a path of @nr frames and a leaf as the thread's last path. */
static struct opd_last_path *store_last(size_t nr)
{
	struct opd_last_path *last = opd_last_paths_find(last_paths, &usual);

	for (size_t i = 0; i < nr; i++)
		opd_last_path_set(last, i, &frames[i], 100 + i);
	opd_last_path_set(last, nr, &leaf, 100 + nr);
	return last;
}

static void expect_same(size_t nr, size_t same)
{
	const struct opd_path path = {.frames = frames, .nr = nr};

	assert_int_equal(opd_last_path_same(opd_last_paths_find(last_paths, &usual), &path, &leaf),
			 same);
}

static void common_frames_are_counted(void **state)
{
	struct opd_last_path *last = store_last(10);
	struct opd_frame *f = &frames[7];
	const struct opd_frame before = *f;

	(void)state;
	expect_same(10, 11); /* the leaf is compared as well */
	expect_same(9, 9);   /* frame 9 differs from the leaf */
	expect_same(11, 10);
	assert_int_equal(last->steps[10].node, 110);
#define EXPECT_OTHER(change)                                                                       \
	do {                                                                                       \
		change;                                                                            \
		expect_same(10, 7);                                                                \
		*f = before;                                                                       \
	} while (0)
	EXPECT_OTHER(f->offset++);
	EXPECT_OTHER(f->how++);
	EXPECT_OTHER(f->domain = OPD_USER_FILE);
	EXPECT_OTHER(f->image = (const void *)1);
	EXPECT_OTHER(f->anon.start++);
	EXPECT_OTHER(f->anon.end++);
	EXPECT_OTHER(f->anon.label = "[heap]");
}

static void changed_key_clears_last_path(void **state)
{
	(void)state;
#define EXPECT_EMPTY(part)                                                                         \
	do {                                                                                       \
		struct opd_last_path_key key = usual;                                              \
                                                                                                   \
		assert_int_equal(store_last(10)->nr, 11);                                                \
		key.part = (__typeof__(key.part))64;                                               \
		assert_int_equal(opd_last_paths_find(last_paths, &key)->nr, 0);                    \
		assert_int_equal(opd_last_paths_find(last_paths, &usual)->nr, 0);                  \
	} while (0)
	EXPECT_EMPTY(tree);
	EXPECT_EMPTY(trees);
	EXPECT_EMPTY(kernel);
	EXPECT_EMPTY(program);
	EXPECT_EMPTY(tgid);
	EXPECT_EMPTY(end);
	assert_int_equal(store_last(10)->nr, 11);
	expect_same(10, 11);
}

/* The node of a frame is stored only as a child of its caller's node. */
static void frame_is_stored_only_after_its_caller(void **state)
{
	struct opd_last_path *last = store_last(10);

	(void)state;
	opd_last_path_set(last, 3, &frames[3], 1);
	assert_int_equal(last->nr, 4);
	opd_last_path_set(last, 5, &frames[5], 2);
	assert_int_equal(last->nr, 4);
	expect_same(10, 4);
}

static void last_path_has_at_most_256_frames(void **state)
{
	(void)state;
	store_last(FRAMES - 1);
	expect_same(FRAMES - 1, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(common_frames_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_key_clears_last_path, setup, teardown),
		cmocka_unit_test_setup_teardown(frame_is_stored_only_after_its_caller,
						setup, teardown),
		cmocka_unit_test_setup_teardown(last_path_has_at_most_256_frames, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
