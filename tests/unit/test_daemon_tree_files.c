// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_tree_files.c -- tests the disk space of a session's call paths: a greedy user leaves
 * space for other users; the number of files is limited; saving and resetting a session.
 */
#include "config.h"
#include "daemon/base/next_session.h"
#include "daemon/store/tree_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/store/stats.h"
#include "libop/base/clock.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"
#include "tests/unit/check.h"

#define GONE		2000000000	/* a process id that does not exist */
#define ATTACKER	1001u
#define VICTIM		1002u
#define LIMIT		(4u << 20)
#define MAX_FRAMES	(LIMIT / 2 / 16)

static bool disk_is_full;
static unsigned int nr_asked;

int __real_fallocate(int fd, int mode, off_t from, off_t len);
int __wrap_fallocate(int fd, int mode, off_t from, off_t len);

/* Replace fallocate(), to count and refuse its calls. */
int __wrap_fallocate(int fd, int mode, off_t from, off_t len)
{
	nr_asked++;
	if (!disk_is_full)
		return __real_fallocate(fd, mode, from, len);
	errno = ENOSPC;
	return -1;
}

struct fixture {
	void *dir;
	struct op_event_spec event;
	struct opd_config cfg;
	struct opd_log log;
	struct opd_session session;
	struct opd_stats stats;
	struct opd_tree_files *files;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct op_reason error = { "" };

	check_make_dir(&f->dir);
	f->event = (struct op_event_spec){ .name = "TIMER", .count = 1000000, .kernel = 1, .user = 1 };
	f->cfg.events = &f->event;
	f->cfg.nr_events = 1;
	f->cfg.set.max_files = 1000;
	f->cfg.paths = (struct opd_path_config){ .depth = 128, .stack = 1024, .limit = LIMIT };
	opd_log_init(&f->log);
	opd_stats_init(&f->stats);
	assert_int_equal(opd_session_open(&f->session, f->dir, (gid_t)-1, &error), 0);
	assert_int_equal(opd_tree_files_create(&f->files, &f->cfg, &f->session, &f->stats, &f->log), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_tree_files_destroy(f->files);
	opd_session_release(&f->session);
	opd_stats_release(&f->stats);
	check_remove_dir(&f->dir);
	free(f);
	return 0;
}

/* Attribute the next samples to a process of user @uid. */
static void set_user(struct fixture *f, uint32_t uid)
{
	opd_tree_files_for(f->files, uid ? GONE + (int32_t)uid : 0, uid + 1);
}

/* Open the tree of program @number. */
static int open_tree(struct fixture *f, unsigned int number, struct opd_tree **ret)
{
	static char apps[1000];
	struct opd_tree_key key = { .app = &apps[number], .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL };
	char path[40];

	snprintf(path, sizeof(path), "/bin/p%u", number);
	key.path = path;
	return opd_tree_files_open(f->files, &key, ret);
}

/*
 * Two programs with the same path, in two containers, share one tree, even if the tree was closed
 * in between.
 */
static void programs_of_equal_path_share_tree(void **state)
{
	struct opd_tree_key one = { .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL, .path = "/bin/same" }, two = one;
	struct fixture *f = *state;
	struct opd_tree *first, *second, *other;
	char app[2];

	one.app = &app[0];
	two.app = &app[1];
	for (int i = 0; i < 3; i++) {
		assert_int_equal(opd_tree_files_open(f->files, &one, &first), 0);
		assert_int_equal(open_tree(f, 1, &other), 0);
		assert_int_equal(opd_tree_files_open(f->files, &two, &second), 0);
		assert_ptr_equal(first, second);
		assert_ptr_not_equal(first, other);
		assert_ptr_equal(opd_tree_files_find(f->files, &one), first);
		opd_tree_files_close_all(f->files);
		assert_null(opd_tree_files_find(f->files, &one));
		assert_true(opd_tree_files_is_closing(f->files));
		if (i)
			assert_false(opd_tree_files_close_step(f->files));
	}
}

static uint32_t add_frames(struct fixture *f, uint32_t uid, uint32_t most)
{
	uint32_t number, nr = 0;

	set_user(f, uid);
	while (nr < most) {
		const struct frame frame = { .offset = (uint64_t)uid << 32 | nr, .image = 1 };

		if (opd_tree_files_frame(f->files, &frame, &number))
			break;
		nr++;
	}
	return nr;
}

static void user_leaves_frames_to_others(void **state)
{
	struct fixture *f = *state;
	struct opd_tree *t;
	const struct frame known = { .offset = (uint64_t)ATTACKER << 32, .image = 1 };
	uint32_t number, nr;

	assert_int_equal(open_tree(f, 0, &t), 0);
	nr = add_frames(f, ATTACKER, UINT32_MAX);
	assert_in_range(nr, MAX_FRAMES / 4 * 3 - 8, MAX_FRAMES / 4 * 3);
	nr = add_frames(f, VICTIM, 10000);
	assert_int_equal(nr, 10000);
	/* Every user can use an existing node, even a user who has reached the limit. */
	set_user(f, ATTACKER);
	assert_int_equal(opd_tree_files_frame(f->files, &known, &number), 0);
	/* After three more attackers, some space is left for a user who comes later, and for
	 * root. */
	for (uint32_t uid = 2000; uid < 2003; uid++)
		add_frames(f, uid, UINT32_MAX);
	assert_int_equal(add_frames(f, 3000, 100), 100);
	assert_int_equal(add_frames(f, 0, 10), 10);
}

static size_t count_images(struct fixture *f)
{
	struct op_path_images images;
	size_t nr;

	assert_int_equal(op_path_images_read(&images, f->session.current_fd), 0);
	nr = images.nr;
	op_path_images_release(&images);
	return nr;
}

static uint32_t add_images(struct fixture *f, uint32_t uid, uint32_t most)
{
	uint32_t number, nr = 0;
	char path[40];

	set_user(f, uid);
	for (uint32_t i = 0; i < most; i++) {
		const struct op_path_image image = { .name.path = path, .identity = { i + 1, uid + 1 } };

		snprintf(path, sizeof(path), "/home/%u/%u", uid, i);
		nr += !opd_tree_files_image(f->files, &image, &number);
	}
	return nr;
}

/* The daemon calls fsync() for each new image, and any user's program can have new images in each
 * sample. So each user has a budget of new images. */
static void user_leaves_images_to_others(void **state)
{
	struct fixture *f = *state;
	struct opd_tree *t;
	uint32_t nr;

	assert_int_equal(open_tree(f, 0, &t), 0);
	nr = add_images(f, ATTACKER, 5000);
	assert_true(nr > 100 && nr < 2500);
	assert_int_equal(add_images(f, VICTIM, 50), 50);
	/* If an image already has a number, the number is found, even after many images were
	 * refused. */
	assert_int_equal(add_images(f, ATTACKER, 6), 6);
	assert_int_equal(count_images(f), nr + 50);
}

static void add_paths(struct fixture *f, struct opd_tree *t, uint32_t first, uint32_t nr)
{
	for (uint32_t i = first; i < first + nr; i++) {
		struct tree *tree = opd_tree_files_use(f->files, t);
		uint32_t node;

		if (!tree_child(tree, TREE_ROOT, FRAME_FIRST + i, &node))
			assert_int_equal(tree_add(tree, node, 1), 0);
		else
			assert_int_equal(tree_add(tree, tree_folded_above(tree, TREE_ROOT), 1), 0);
	}
}

/*
 * If trees are too large, the trees of the user with the most nodes in total are folded, even if
 * another user has the largest single tree.
 */
static void trees_of_user_with_most_nodes_are_folded(void **state)
{
	struct fixture *f = *state;
	struct opd_tree *largest, *others[20];

	set_user(f, VICTIM);
	assert_int_equal(open_tree(f, 0, &largest), 0);
	add_paths(f, largest, 0, 30000);
	set_user(f, ATTACKER);
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(open_tree(f, 1 + i, &others[i]), 0);
		add_paths(f, others[i], 0, 25000);
	}
	assert_true(f->stats.v[OPD_STAT_FOLDINGS] > 0);
	assert_true(tree_end(opd_tree_files_use(f->files, largest)) > 30000);
}

static uint64_t sum_of(struct fixture *f, struct opd_tree *t)
{
	struct tree_totals books;

	assert_int_equal(tree_totals(opd_tree_files_use(f->files, t), &books), 0);
	return books.count + books.orphan_count;
}

/* A large tree is folded in small steps. Samples that arrive in between are not lost, even if the
 * files are closed before the end. */
static void folding_keeps_samples_that_arrive(void **state)
{
	struct fixture *f = *state;
	unsigned int steps = 0, given_up = 0;
	struct opd_tree *t;
	uint32_t nr = 0;

	assert_int_equal(open_tree(f, 0, &t), 0);
	while (nr < 600000) {
		add_paths(f, t, nr++, 1);
		if (faccessat(f->session.current_fd, OP_PATHS_DIR "/new", F_OK, 0))
			continue;
		if (++steps != 100 || given_up++)
			continue;
		opd_tree_files_close_all(f->files);
		assert_int_equal(faccessat(f->session.current_fd, OP_PATHS_DIR "/new", F_OK, 0), -1);
		assert_int_equal(open_tree(f, 0, &t), 0);
		assert_int_equal(sum_of(f, t), nr);
	}
	assert_true(steps > 1000 && given_up);
	assert_true(f->stats.v[OPD_STAT_FOLDINGS] > 1);
	assert_int_equal(sum_of(f, t), nr);
	assert_true(tree_end(opd_tree_files_use(f->files, t)) <= LIMIT / 16);
}

static void number_of_trees_is_limited(void **state)
{
	struct fixture *f = *state;
	struct opd_tree *t;

	f->cfg.set.max_files = 3;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(open_tree(f, i, &t), 0);
	assert_int_equal(open_tree(f, 3, &t), -EFBIG);
	/* Existing files are opened again, and count after a restart. */
	opd_tree_files_close_all(f->files);
	assert_int_equal(open_tree(f, 3, &t), -EFBIG);
	assert_int_equal(open_tree(f, 2, &t), 0);
}

/* Add new paths. Return how many of them were stored. */
static uint32_t count_stored_paths(struct fixture *f, uint32_t first, uint32_t nr)
{
	uint32_t taken = 0;

	for (uint32_t i = first; i < first + nr; i++) {
		const struct frame frame = { .offset = i, .image = 1 };
		uint32_t number, node;
		struct opd_tree *t;
		struct tree *tree;
		bool room;

		/* Some of the paths belong to programs without earlier samples. */
		if (open_tree(f, i % 100 ? 0 : 1 + i / 100, &t))
			continue;
		tree = opd_tree_files_use(f->files, t);
		room = !opd_tree_files_frame(f->files, &frame, &number) && !opd_tree_files_child(t, TREE_ROOT, number, &node);
		assert_int_equal(tree_add(tree, room ? node : tree_folded_above(tree, TREE_ROOT), 1), 0);
		taken += room;
	}
	return taken;
}

/* On a full disk, allocating disk space is slow. So the daemon does not retry the allocation for
 * each sample, but only after some time. */
static void full_disk_is_retried_after_delay(void **state)
{
	struct fixture *f = *state;
	uint32_t next = 50000, seconds;
	uint64_t begun;

	set_user(f, 0);
	assert_int_equal(count_stored_paths(f, 0, 1000), 1000);
	disk_is_full = true;
	nr_asked = 0;
	begun = op_now_ms();
	/* The mapping of the file still has room for more nodes. */
	assert_in_range(count_stored_paths(f, 1000, 40000), 0, 2000);
	seconds = (uint32_t)((op_now_ms() - begun) / 1000);
	/*
	 * The daemon requests disk space for the frames, the first tree and a new tree: once at the
	 * beginning, and then once a second for each file.
	 */
	assert_in_range(nr_asked, 1, 3 * (seconds + 1));
	disk_is_full = false;
	while (count_stored_paths(f, next, 1000) != 1000) {
		usleep(10000);
		next += 1000;
	}
}

static void expect(struct fixture *f, const char *path, int err)
{
	assert_int_equal(faccessat(f->session.samples_fd, path, F_OK, 0) ? -errno : 0, err);
}

static void trees_are_saved_with_session(void **state)
{
	struct fixture *f = *state;
	struct opd_tree *t;

	assert_int_equal(open_tree(f, 0, &t), 0);
	add_frames(f, ATTACKER, UINT32_MAX);
	add_paths(f, t, 0, 10);
	opd_tree_files_close_all(f->files);
	/* With this directory the session is considered to have samples. */
	assert_int_equal(mkdirat(f->session.current_fd, "{root}", 0755), 0);
	assert_int_equal(opd_session_save(&f->session, "kept"), 0);
	expect(f, "kept/" OP_PATHS_FRAMES, 0);
	expect(f, "kept/paths/root/bin/p0/TIMER.1000000.0.all.all.all", 0);
	expect(f, "current/paths", -ENOENT);
	/* A new session is empty, and the whole share of each user is available again. */
	assert_int_equal(open_tree(f, 0, &t), 0);
	assert_in_range(add_frames(f, ATTACKER, UINT32_MAX), MAX_FRAMES / 4 * 3 - 8,
			MAX_FRAMES / 4 * 3);
	opd_tree_files_close_all(f->files);
	assert_int_equal(opd_session_reset(&f->session), 0);
	expect(f, "current/paths", -ENOENT);
	expect(f, "kept/" OP_PATHS_FRAMES, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(programs_of_equal_path_share_tree),
		TEST(user_leaves_frames_to_others),
		TEST(user_leaves_images_to_others),
		TEST(trees_of_user_with_most_nodes_are_folded),
		TEST(folding_keeps_samples_that_arrive),
		TEST(number_of_trees_is_limited),
		TEST(full_disk_is_retried_after_delay),
		TEST(trees_are_saved_with_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
