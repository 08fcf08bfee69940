// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_paths.c -- tests samples with call paths, from attribution to trees: each sample is
 * in one tree, even if memory is short. */
#include "config.h"
#include "tests/unit/store.h"

#include "libdb/tree.h"
#include "libop/session/path_files.h"
#include "libop/session/recover.h"
#include "libop/session/path_images.h"
#include "module/uapi/unwind.h"

#define APP_TREE	"paths/root/bin/app/TIMER.1000000.0.all.all.all"
#define KERNEL_TREE	"paths/kern/vmlinux/TIMER.1000000.0.all.all.all"
#define ENDS(end)	(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_##end)

static void start(struct store *f)
{
	store_start(f);
	assert_int_equal(opd_images_create(&f->images), 0);
	f->app = opd_images_intern(f->images, "/bin/app", 1, 2, 3);
	f->lib = opd_images_intern(f->images, "/lib/l.so", 1, 3, 4);
	assert_int_equal(opd_paths_create(&f->paths, &f->cfg, &f->session, f->kernel, f->images, &f->stats, &f->log), 0);
	opd_sample_cache_at_once(f->cache);
	f->a.paths = f->paths;
}

static int setup(void **state)
{
	struct store *f = store_setup(state, (struct op_event_spec){ 0 });

	f->cfg.nr_events = 1;
	f->cfg.paths = (struct opd_path_config){ .depth = 128, .stack = 1024, .limit = 64 << 20 };
	start(f);
	return 0;
}

static void send_from(struct store *f, pid_t tid, struct opd_context ctx, uint64_t offset,
		      uint32_t count)
{
	const struct opd_sample s = { offset, 0, count };

	ctx.tid = tid;
	ctx.tgid = 7;
	f->a.sink.samples(&f->a.sink, &ctx, &s, 1);
}

static void send(struct store *f, struct opd_context ctx, uint64_t offset, uint32_t count)
{
	send_from(f, 8, ctx, offset, count);
}

static struct frames *open_frames(struct store *f)
{
	int fd = openat(f->session.current_fd, OP_PATHS_FRAMES, O_RDONLY);
	struct frames *frames;

	assert_true(fd >= 0);
	assert_int_equal(frames_open(&frames, fd, ODB_READ, 0), 0);
	return frames;
}

static struct tree *open_tree(struct store *f, const char *path)
{
	int fd = openat(f->session.current_fd, path, O_RDONLY);
	struct tree *tree;

	assert_true(fd >= 0);
	assert_int_equal(tree_open(&tree, fd, ODB_READ, 0), 0);
	return tree;
}

/*
 * Return the paths of the tree @path with their counts as text, such as "app+10 l.so+20:3", in the
 * order of the nodes.
 */
static char *text_of(struct store *f, const char *path)
{
	struct tree *tree = open_tree(f, path);
	struct frames *frames = open_frames(f);
	struct op_path_images images;
	struct tree_node node, at;
	struct frame frame;
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(op_path_images_read(&images, f->session.current_fd), 0);
	for (uint32_t n = TREE_FIRST; n < tree_end(tree); n++) {
		uint32_t way[100], depth = 0;

		if (!tree_node(tree, n, &node) || !node.count)
			continue;
		for (at = node; ; assert_true(tree_node(tree, at.parent, &at))) {
			way[depth++] = at.frame;
			if (at.parent == TREE_ROOT)
				break;
		}
		while (depth--) {
			const struct op_path_image *image;

			if (way[depth] == FRAME_FOLDED) {
				fprintf(out, "[folded]");
				continue;
			}
			assert_true(frames_get(frames, way[depth], &frame));
			image = op_path_image(&images, frame.image);
			fprintf(out, "%s+%llx/%d ", image ? image->name.path : "", (unsigned long long)frame.offset,
				frame.how);
		}
		fprintf(out, ":%llu\n", (unsigned long long)node.count);
	}
	fclose(out);
	op_path_images_release(&images);
	frames_close(frames);
	tree_close(tree);
	return text;
}

static void expect_tree(struct store *f, const char *path, const char *text)
{
	char *got = text_of(f, path);

	assert_string_equal(got, text);
	free(got);
}

/* The trees together must contain as many samples as were stored. */
static void expect_balance(struct store *f)
{
	struct op_session_sums sums;

	assert_int_equal(op_session_sums_read(&sums, f->session.current_fd), 0);
	assert_int_equal(sums.paths, f->stats.v[OPD_STAT_PATHS]);
	assert_int_equal(sums.paths + f->stats.v[OPD_STAT_PATHS_LOST], f->stats.v[OPD_STAT_STORED]);
}

static void paths_are_counted_by_program(void **state)
{
	struct store *f = *state;
	const struct opd_frame user[] = {
		{ .domain = OPD_USER_FILE, .image = f->app, .offset = 0x10 },
		{ .domain = OPD_USER_ANON, .anon = { 0x1000, 0x2000, "anon" }, .offset = 0x1008, .how = OPROFILE_UW_HOW_FP },
		{ .domain = OPD_KERNEL, .offset = 0xffffffff81000100 },
	};
	const struct opd_path whole = { user, 2, OPROFILE_UW_WHOLE }, cut = { user, 3, OPROFILE_UW_STACK };
	struct opd_context ctx = { .domain = OPD_USER_FILE, .app = f->app, .image = f->lib, .path = &whole };

	send(f, ctx, 0x20, 3);
	send(f, ctx, 0x20, 2);
	ctx.path = &cut;
	ctx.domain = OPD_KERNEL;
	send(f, ctx, 0xffffffffc0001010, 7);
	ctx.path = NULL;
	ctx.domain = OPD_USER_FILE;
	send(f, ctx, 0x30, 1);
	expect_tree(f, APP_TREE, "/bin/app+10/0 anon+8/1 /lib/l.so+20/0 :5\n"
		    "+0/23 /bin/app+10/0 anon+8/1 vmlinux+100/2 ext4+10/2 :7\n"
		    "+0/30 /lib/l.so+30/0 :1\n");
	ctx = (struct opd_context){ .domain = OPD_KERNEL, .path = &(struct opd_path){ user + 2, 1, OPROFILE_UW_WHOLE } };
	send(f, ctx, 0xffffffff81000200, 4);
	expect_tree(f, KERNEL_TREE, "vmlinux+100/2 vmlinux+200/2 :4\n");
	ctx = (struct opd_context){ .domain = OPD_GUEST, .app = f->app };
	send(f, ctx, 0, 1);
	assert_int_equal(f->stats.v[OPD_STAT_PATHS_WHOLE], 9);
	assert_int_equal(f->stats.v[OPD_STAT_PATH_END(OPROFILE_UW_STACK)], 7);
	assert_int_equal(f->stats.v[OPD_STAT_PATH_END(OPROFILE_UW_NOT_TAKEN)], 2);
	expect_balance(f);
}

/*
 * A daemon that continues a session uses the same numbers for images and frames as the earlier
 * daemon.
 */
static void continued_session_reuses_numbers(void **state)
{
	struct store *f = *state;
	const struct opd_path path = { NULL, 0, OPROFILE_UW_WHOLE };
	struct opd_context ctx = { .domain = OPD_USER_FILE, .path = &path };

	for (int i = 0; i < 2; i++) {
		ctx.app = ctx.image = f->app;
		send(f, ctx, 0x10, 1);
		ctx.image = f->lib;
		send(f, ctx, 0x20, 1);
		assert_true(opd_paths_dirty(f->paths));
		assert_int_equal(opd_paths_sync(f->paths), 0);
		assert_false(opd_paths_dirty(f->paths));
		store_stop(f);
		start(f);
	}
	expect_tree(f, APP_TREE, "/bin/app+10/0 :2\n/lib/l.so+20/0 :2\n");
	expect_balance(f);
}

static void trees_are_separated_like_sample_files(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_USER_FILE, .app = f->app, .image = f->app, .cpu = 5 };

	f->cfg.set.separate = OP_SEPARATE_THREAD | OP_SEPARATE_CPU;
	send(f, ctx, 1, 1);
	assert_int_equal(faccessat(f->session.current_fd, "paths/root/bin/app/TIMER.1000000.0.7.8.5", F_OK, 0), 0);
	expect_balance(f);
}

static void unstored_samples_are_not_in_trees(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_KERNEL, .app = f->app };

	f->events[0].kernel = 0;
	send(f, ctx, 0xffffffff81000010, 5);
	ctx = (struct opd_context){ .domain = OPD_USER_ANON, .anon = { 0x1000, 0x2000, "anon" } };
	send(f, ctx, 0x1000, 5);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 0);
	assert_int_equal(f->stats.v[OPD_STAT_PATHS], 0);
	expect_balance(f);
}

/*
 * If the kernel hides its addresses, the file of frames does not contain any kernel address,
 * neither the address of the sample nor those of its callers. Otherwise, it contains offsets from
 * the start of the kernel or module.
 */
static void kernel_addresses_are_not_stored(void **state)
{
	struct store *f = *state;
	struct opd_frame frames[2] = {
		{ .domain = OPD_KERNEL, .how = OPROFILE_UW_HOW_KERNEL, .offset = 0xffffffff81000123 },
		{ .domain = OPD_KERNEL, .how = OPROFILE_UW_HOW_KERNEL, .offset = 0xffffffffc0001045 },
	};
	const struct opd_path path = { frames, 2, OPROFILE_UW_WHOLE };
	struct opd_context ctx = { .domain = OPD_KERNEL, .path = &path };
	static const uint64_t seen[2][3] = { { 0x123, 0x45, 0x777 }, { 0 } };

	for (int hidden = 0; hidden < 2; hidden++) {
		struct frames *file;
		struct frame frame;
		uint32_t nr = 0;

		store_stop(f);
		unlinkat(f->session.current_fd, OP_PATHS_FRAMES, 0);
		unlinkat(f->session.current_fd, APP_TREE, 0);
		if (hidden)
			store_write_file(f->kallsyms, "0000000000000000 T _stext\n0000000000000000 T _etext\n");
		start(f);
		ctx.app = f->app;
		send(f, ctx, 0xffffffff81000777, 5);
		file = open_frames(f);
		for (uint32_t i = FRAME_FIRST; i < frames_end(file); i++) {
			if (!frames_get(file, i, &frame))
				continue;
			assert_true(nr < 3);
			assert_int_equal(frame.offset, seen[hidden][nr]);
			nr++;
		}
		assert_int_equal(nr, hidden ? 1 : 3);
		frames_close(file);
	}
}

static uint64_t disk_bytes(struct store *f)
{
	static const char *const names[] = { APP_TREE, OP_PATHS_FRAMES, OP_PATH_IMAGES_FILE };
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!fstatat(f->session.current_fd, names[i], &st, 0))
			bytes += (uint64_t)st.st_size;
	return bytes;
}

/* 200,000 different paths must fit into 64 kB: the rarest paths are folded, samples are not lost,
 * and the frequent path is kept. */
static void trees_are_folded_at_the_limit(void **state)
{
	struct store *f = *state;
	struct opd_frame frames[6];
	const struct opd_path path = { frames, 6, OPROFILE_UW_WHOLE };
	struct opd_context ctx = { .domain = OPD_USER_FILE, .app = f->app, .image = f->lib, .path = &path };
	uint32_t seed = 1;
	char *text;

	store_stop(f);
	f->cfg.paths.limit = 64 << 10;
	start(f);
	ctx.app = f->app;
	ctx.image = f->lib;
	for (int i = 0; i < 200000; i++) {
		bool often = i % 2;

		for (int n = 0; n < 6; n++) {
			seed = seed * 1103515245 + 12345;
			frames[n] = (struct opd_frame){ .domain = OPD_USER_FILE, .image = f->app,
							.offset = often ? 1 : 16 + (seed >> 16) % 200 };
		}
		send(f, ctx, often ? 2 : (seed >> 20) % 200, 1);
	}
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 200000);
	assert_int_equal(f->stats.v[OPD_STAT_PATHS_LOST], 0);
	assert_true(f->stats.v[OPD_STAT_FOLDINGS] > 0);
	/* twice the limit, because files grow by doubling */
	assert_true(disk_bytes(f) <= 2 * f->cfg.paths.limit);
	expect_balance(f);
	text = text_of(f, APP_TREE);
	assert_non_null(strstr(text, "/lib/l.so+2/0 :100000\n"));
	assert_non_null(strstr(text, "[folded]"));
	free(text);
}

/* Send a fixed sequence of samples whose paths have few different frames. The samples come from two
 * threads if @few_threads; otherwise each sample comes from another thread. Return the tree as
 * text, malloc'd. */
static char *text_of_sequence(struct store *f, bool few_threads)
{
	struct opd_frame frames[8];
	const struct opd_frame user = {
		.domain = OPD_USER_FILE, .image = f->app, .offset = 0x100};
	const struct opd_frame made = {.domain = OPD_USER_ANON,
				       .anon = {0x1000, 0x2000, "anon"},
				       .offset = 0x1000};
	const struct opd_frame kernel = {.domain = OPD_KERNEL, .offset = 0xffffffff81000100};
	struct opd_path path = { .frames = frames };
	struct opd_context ctx = {
		.domain = OPD_USER_FILE, .app = f->app, .image = f->lib, .path = &path};
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		path.nr = (seed >> 8) % 8;
		path.end = (seed >> 12) % 4 ? OPROFILE_UW_WHOLE : OPROFILE_UW_STACK;
		for (size_t n = 0; n < path.nr; n++) {
			seed = seed * 1103515245 + 12345;
			frames[n] = n < 3 ? user : n < 5 ? made : kernel;
			frames[n].offset += n * 16 + (seed >> 16) % 2;
			frames[n].how = n < 5 ? (seed >> 20) % 2 : OPROFILE_UW_HOW_KERNEL;
			frames[n].anon.end += n == 3 && (seed >> 24) % 2 ? 0x1000 : 0;
		}
		send_from(f, few_threads ? 8 + i / 300 % 2 : 10 + i, ctx, (seed >> 20) % 3, 1);
	}
	expect_balance(f);
	return text_of(f, APP_TREE);
}

/* Check the offset of each frame in @text: in the sequence, it depends on the frame's depth. The
 * function modifies @text. */
static void expect_depths(char *text)
{
	char *line, *rest = text, *word, *words;

	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned int depth = 0;

		for (words = line; (word = strsep(&words, " ")) && *word != ':' && *word != '[';) {
			unsigned long offset = strtoul(strchr(word, '+') + 1, NULL, 16);

			/* skip the text that gives the reason why the path ends */
			if (*word == '+')
				continue;
			if (strncmp(word, "/lib/l.so", 9))
				assert_int_equal(offset / 16 % 16, depth++);
			else
				assert_int_equal(*words, ':');
		}
	}
}

static char *restart_with_sequence(struct store *f, uint64_t limit, bool few_threads)
{
	store_stop(f);
	unlinkat(f->session.current_fd, OP_PATHS_FRAMES, 0);
	unlinkat(f->session.current_fd, APP_TREE, 0);
	f->cfg.paths.limit = limit;
	start(f);
	memset(f->stats.v, 0, sizeof(f->stats.v));
	return text_of_sequence(f, few_threads);
}

/* Reusing the nodes of a thread's last path does not change the counts. */
static void last_path_cache_does_not_change_counts(void **state)
{
	char *each = restart_with_sequence(*state, 64 << 20, false);
	char *few = restart_with_sequence(*state, 64 << 20, true);

	assert_string_equal(few, each);
	expect_depths(few);
	free(few);
	free(each);
}

/* Folding renumbers the nodes, so the thread's last path is discarded. */
static void folding_clears_last_path(void **state)
{
	struct store *f = *state;
	char *text = restart_with_sequence(f, 16 << 10, true);

	assert_true(f->stats.v[OPD_STAT_FOLDINGS] > 0);
	expect_depths(text);
	free(text);
}

/*
 * At its start, the daemon counts the session's existing trees, so that the limit applies to all
 * trees.
 */
static void existing_trees_count_towards_limit(void **state)
{
	struct store *f = *state;

	trees_are_folded_at_the_limit(state);
	store_stop(f);
	start(f);
	for (uint64_t i = 0; i < 10000; i++) {
		const struct opd_path path = { NULL, 0, OPROFILE_UW_WHOLE };
		struct opd_context ctx = { .domain = OPD_USER_FILE, .app = f->app, .image = f->lib, .path = &path };

		send(f, ctx, 1000 + i, 1);
	}
	assert_true(disk_bytes(f) <= 2 * f->cfg.paths.limit);
	expect_balance(f);
}

/* Change the file of frames as if its daemon had run before the last boot. */
static void age_frames(struct store *f)
{
	int fd = openat(f->session.current_fd, OP_PATHS_FRAMES, O_RDWR);
	struct frames *frames;

	assert_true(fd >= 0);
	assert_int_equal(frames_open(&frames, fd, ODB_WRITE, 1), 0);
	frames_close(frames);
}

/* Numbers that may have been lost in a power failure are skipped only after a reboot. */
static void numbers_are_skipped_only_after_reboot(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_USER_FILE };
	uint32_t end[4];

	for (int i = 0; i < 4; i++) {
		struct frames *frames;

		ctx.app = ctx.image = f->app;
		send(f, ctx, 0x10 + i, 1);
		frames = open_frames(f);
		end[i] = frames_end(frames);
		frames_close(frames);
		store_stop(f);
		if (i == 1)
			age_frames(f);
		start(f);
	}
	assert_int_equal(end[1], end[0] + 1);
	assert_true(end[2] > end[1] + 100);
	assert_int_equal(end[3], end[2] + 1);
}

/* If the file of frames is replaced by another file, the numbers in old trees are invalid, so the
 * daemon renames the old trees. */
static void trees_of_damaged_frames_file_are_renamed(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_USER_FILE };
	int fd;

	ctx.app = ctx.image = f->app;
	send(f, ctx, 0x10, 1);
	store_stop(f);
	fd = openat(f->session.current_fd, OP_PATHS_FRAMES, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "nonsense of more than sixty-four bytes, which is what a header of such a file takes", 80), 80);
	close(fd);
	start(f);
	ctx.app = ctx.image = f->app;
	send(f, ctx, 0x20, 1);
	expect_tree(f, APP_TREE, "+0/30 /bin/app+20/0 :1\n");
	assert_int_equal(faccessat(f->session.current_fd, OP_PATHS_FRAMES ".damaged", F_OK, 0), 0);
	assert_int_equal(faccessat(f->session.current_fd, APP_TREE ".damaged", F_OK, 0), 0);
	assert_int_equal(f->stats.v[OPD_STAT_SET_ASIDE], 2);
}

static void damaged_file_that_cannot_be_renamed_is_not_counted(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_USER_FILE };
	int fd;

	ctx.app = ctx.image = f->app;
	send(f, ctx, 0x10, 1);
	store_stop(f);
	fd = openat(f->session.current_fd, OP_PATHS_FRAMES, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "nonsense of more than sixty-four bytes, which is what a header of such a file takes", 80), 80);
	close(fd);
	assert_int_equal(mkdirat(f->session.current_fd, OP_PATHS_FRAMES ".damaged", 0700), 0);
	start(f);
	ctx.app = ctx.image = f->app;
	send(f, ctx, 0x20, 1);
	assert_int_equal(f->stats.v[OPD_STAT_SET_ASIDE], 0);
	assert_int_equal(f->stats.v[OPD_STAT_PATHS_LOST], 1);
}

static void paths_without_tree_are_counted_as_lost(void **state)
{
	struct store *f = *state;
	struct opd_context ctx = { .domain = OPD_USER_FILE };

	assert_int_equal(mkdirat(f->session.current_fd, "paths", 0755), 0);
	assert_int_equal(symlinkat("/tmp", f->session.current_fd, "paths/root"), 0);
	ctx.app = ctx.image = f->app;
	send(f, ctx, 0x10, 3);
	assert_int_equal(f->stats.v[OPD_STAT_PATHS_LOST], 3);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 3);
	assert_int_equal(unlinkat(f->session.current_fd, "paths/root", 0), 0);
	expect_balance(f);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, store_teardown)
	const struct CMUnitTest tests[] = {
		TEST(paths_are_counted_by_program),
		TEST(continued_session_reuses_numbers),
		TEST(trees_are_separated_like_sample_files),
		TEST(unstored_samples_are_not_in_trees),
		TEST(kernel_addresses_are_not_stored),
		TEST(trees_are_folded_at_the_limit),
		TEST(last_path_cache_does_not_change_counts),
		TEST(folding_clears_last_path),
		TEST(existing_trees_count_towards_limit),
		TEST(numbers_are_skipped_only_after_reboot),
		TEST(trees_of_damaged_frames_file_are_renamed),
		TEST(damaged_file_that_cannot_be_renamed_is_not_counted),
		TEST(paths_without_tree_are_counted_as_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
