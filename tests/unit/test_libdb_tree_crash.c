// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_tree_crash.c -- tests files of call path trees with concurrent readers, killed
 * writers, power failures and full disks: the contents are correct at any moment, and never contain
 * a path that was not added.
 */
#include "config.h"
#include "tests/unit/paths.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/fault/fault.h"

/* Progress of the writer, in shared memory. The n-th path is added with a count of 1. */
struct progress {
	_Atomic uint64_t started, done;
	_Atomic int stop;
};

/*
 * Memory files that child processes inherit. Each user reopens them, because file locks belong to
 * the open file description.
 */
struct files {
	int frames, tree;
	struct progress *p;
};

static struct files make_files(void)
{
	struct files files = { memfd_create("frames", 0), memfd_create("tree", 0), NULL };

	files.p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(files.frames >= 0 && files.tree >= 0 && files.p != MAP_FAILED);
	return files;
}

static void drop_files(struct files *files)
{
	close(files->frames);
	close(files->tree);
	munmap(files->p, 4096);
}

static int reopen(int fd, int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags);
}

static int open_both(const struct files *files, enum odb_mode mode, uint64_t boot, struct frames **f,
		     struct tree **t)
{
	int flags = mode == ODB_WRITE ? O_RDWR : O_RDONLY, fd = reopen(files->frames, flags), err;

	err = fd < 0 ? -errno : frames_open(f, fd, mode, boot);
	if (err) {
		close(fd);
		return err;
	}
	fd = reopen(files->tree, flags);
	err = fd < 0 ? -errno : tree_open(t, fd, mode, frames_generation(*f));
	if (err) {
		close(fd);
		frames_close(*f);
	}
	return err;
}

/*
 * Add paths until the end, but stop this process before path @from, or before creating the files if
 * @from is 0.
 */
static void write_on(const struct files *files, uint64_t from, uint64_t to)
{
	struct progress *p = files->p;
	struct frames *f;
	struct tree *t;

	if (!from)
		raise(SIGSTOP);
	if (open_both(files, ODB_WRITE, 1, &f, &t))
		_exit(1);
	while (!p->stop && p->done < to) {
		uint64_t n = p->started++;

		if (n && n == from)
			raise(SIGSTOP);
		if (paths_add(f, t, n))
			_exit(2);
		p->done++;
	}
	tree_close(t);
	frames_close(f);
	_exit(0);
}

/*
 * Read the tree. Return 0, or the number of the failed check. Open the tree before the frames, so
 * that the frames of all nodes that existed when it was opened can be read.
 */
static int read_once(const struct files *files)
{
	uint64_t before = files->p->done;
	struct paths_seen seen;
	int fd = reopen(files->tree, O_RDONLY), err;
	struct frames *f;
	struct tree *t;

	err = tree_open(&t, fd, ODB_READ, 0);
	if (err) {
		close(fd);
		return err == ODB_ERR_EMPTY && !before ? 0 : 1;
	}
	/* Check in two passes, because the tree may have grown after it was mapped. */
	for (int i = 0; i < 2 && !err; i++) {
		fd = reopen(files->frames, O_RDONLY);
		if (frames_open(&f, fd, ODB_READ, 0)) {
			close(fd);
			err = 2;
			break;
		}
		/*
		 * A node that was added after the frames were mapped may refer to an unknown frame,
		 * even in the first pass, because the tree's mapping is larger than its nodes.
		 */
		paths_check(t, f, &seen);
		if (seen.count < before)
			err = 3;
		else if (seen.count > files->p->started)
			err = 4;
		else if (seen.wrong)
			err = 5;
		else if (seen.orphans)
			err = 6;
		frames_close(f);
	}
	tree_close(t);
	return err;
}

static void test_readers_see_complete_nodes(void **state)
{
	struct files files = make_files();
	pid_t writer, readers[2];
	int status, err = 0;

	(void)state;
	writer = check_fork();
	if (!writer)
		write_on(&files, UINT64_MAX, 300000);
	for (int i = 0; i < 2; i++) {
		readers[i] = check_fork();
		if (readers[i])
			continue;
		for (int n = 0; (n < 40 || files.p->done <= 1000) && n < 1000000 && !err; n++) {
			err = read_once(&files);
			if (!files.p->done)
				sched_yield();
		}
		_exit(err);
	}
	for (int i = 0; i < 2; i++) {
		waitpid(readers[i], &status, 0);
		assert_int_equal(WEXITSTATUS(status), 0);
		assert_true(WIFEXITED(status));
	}
	files.p->stop = 1;
	waitpid(writer, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(read_once(&files), 0);
	drop_files(&files);
}

/*
 * Check the tree after the writer was killed: it contains all completed paths and at most one more,
 * and can be extended.
 */
static void check_after_kill(const struct files *files)
{
	struct paths_seen seen;
	uint64_t there;
	struct frames *f;
	struct tree *t;

	assert_int_equal(read_once(files), 0);
	assert_int_equal(open_both(files, ODB_WRITE, 1, &f, &t), 0);
	paths_check(t, f, &seen);
	there = seen.count;
	assert_true(there == files->p->done || there == files->p->started);
	assert_int_equal(seen.wrong + seen.orphans + seen.unknown, 0);
	for (uint64_t n = there; n < there + 50; n++)
		assert_int_equal(paths_add(f, t, n), 0);
	paths_check(t, f, &seen);
	assert_true(seen.count == there + 50);
	assert_int_equal(seen.wrong + seen.orphans + seen.unknown, 0);
	tree_close(t);
	frames_close(f);
}

static void test_killed_writer_leaves_valid_tree(void **state)
{
	unsigned int seed = time(NULL);
	int status;

	(void)state;
	printf("seed %u\n", seed);
	for (int i = 0; i < 60; i++) {
		struct timespec wait = { 0, rand_r(&seed) % (i % 2 ? 200000 : 2000000) };
		struct files files = make_files();
		pid_t writer = check_fork();

		if (!writer)
			write_on(&files, UINT64_MAX, UINT64_MAX);
		while (i % 8 && !files.p->started && !waitpid(writer, &status, WNOHANG))
			sched_yield();
		nanosleep(&wait, NULL);
		kill(writer, SIGKILL);
		waitpid(writer, &status, 0);
		assert_true(WIFSIGNALED(status));
		check_after_kill(&files);
		drop_files(&files);
	}
}

static size_t read_all(int fd, unsigned char *bytes, size_t room)
{
	ssize_t len = pread(fd, bytes, room, 0);

	assert_true(len >= 0 && (size_t)len < room);
	return len;
}

/*
 * Single-step the writer, and after each instruction check the files that remain if it is killed
 * there.
 */
static void step(uint64_t from, uint64_t to, int expected_states)
{
	static unsigned char now[2][1 << 17], before[2][1 << 17];
	size_t len[2], len_before[2] = { 0, 0 };
	struct files files = make_files(), copy;
	pid_t writer = check_fork();
	int status, states = 0;

	if (!writer) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		write_on(&files, from, to);
	}
	waitpid(writer, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		drop_files(&files);
		skip();	/* skip the test, because ptrace() is not permitted */
	}
	assert_true(WIFSTOPPED(status));
	do {
		len[0] = read_all(files.frames, now[0], sizeof(now[0]));
		len[1] = read_all(files.tree, now[1], sizeof(now[1]));
		if (len[0] != len_before[0] || memcmp(now[0], before[0], len[0]) ||
		    len[1] != len_before[1] || memcmp(now[1], before[1], len[1])) {
			copy = files;
			copy.frames = paths_memfd(now[0], len[0]);
			copy.tree = paths_memfd(now[1], len[1]);
			check_after_kill(&copy);
			close(copy.frames);
			close(copy.tree);
			memcpy(before, now, sizeof(before));
			memcpy(len_before, len, sizeof(len));
			states++;
		}
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, writer, NULL, NULL), 0);
		waitpid(writer, &status, 0);
	} while (WIFSTOPPED(status) && files.p->done < to);
	assert_true(files.p->done == to);
	printf("%d different states of the files\n", states);
	assert_true(states > expected_states);
	kill(writer, SIGKILL);
	waitpid(writer, &status, 0);
	drop_files(&files);
}

static void test_every_instruction_of_creation(void **state)
{
	(void)state;
	step(0, 3, 40);
}

/*
 * The file grows between these two paths: its first page has 252 slots, which about 80 paths fill.
 */
static void test_every_instruction_of_growth(void **state)
{
	(void)state;
	step(60, 110, 200);
}

#define ROOM	(1 << 20)
#define MOMENTS	6

/*
 * Copies of the files at several moments. After a power failure, each sector on the disk may be
 * from any of these moments.
 */
struct history {
	unsigned char *bytes[MOMENTS];
	size_t len[MOMENTS];
};

static void save_bytes(struct history *h, int moment, int fd)
{
	if (!h->bytes[moment])
		h->bytes[moment] = malloc(ROOM);
	assert_non_null(h->bytes[moment]);
	memset(h->bytes[moment], 0, ROOM);
	h->len[moment] = read_all(fd, h->bytes[moment], ROOM);
}

/*
 * Overwrite @fd with random sectors of the copies. @least: length that the last fsync() guaranteed.
 * The header is always present; test_libdb_tree tests files without it.
 */
static void overwrite_random_sectors(const struct history *h, int fd, size_t least,
				     unsigned int *seed)
{
	size_t len = h->len[rand_r(seed) % MOMENTS];
	unsigned char *bytes = calloc(1, ROOM);

	assert_non_null(bytes);
	len = len > least ? len : least;
	for (size_t at = 0; at < len; at += 512) {
		int moment = rand_r(seed) % (at ? MOMENTS + 1 : MOMENTS);

		if (moment < MOMENTS)
			memcpy(bytes + at, h->bytes[moment] + at, 512);
	}
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	free(bytes);
}

static void expect_true_paths(const struct tree *t, const struct frames *f, uint64_t taken,
			      struct paths_seen *seen)
{
	paths_check(t, f, seen);
	assert_int_equal(seen->wrong, 0);
	assert_true(seen->count + seen->orphan_count <= taken);
}

/*
 * Simulate a power failure, extend the files, and simulate another power failure. The file of
 * frames and the tree lose different parts each time.
 */
static void simulate_power_loss(unsigned int seed, uint64_t *orphans, uint64_t *unknown)
{
	struct history frames = { 0 }, tree = { 0 };
	struct files files = make_files();
	struct paths_seen seen;
	uint64_t n = 0, there;
	struct frames *f;
	struct tree *t;

	for (uint64_t boot = 1; boot <= 4; boot++) {
		assert_int_equal(open_both(&files, ODB_WRITE, boot, &f, &t), 0);
		expect_true_paths(t, f, n, &seen);
		*orphans += seen.orphans;
		*unknown += seen.unknown;
		there = seen.count + seen.orphan_count;
		for (int moment = 0; moment < MOMENTS; moment++) {
			for (uint64_t to = n + rand_r(&seed) % 60; n < to; n++, there++)
				assert_int_equal(paths_add(f, t, rand_r(&seed) % 1000), 0);
			save_bytes(&frames, moment, files.frames);
			save_bytes(&tree, moment, files.tree);
		}
		expect_true_paths(t, f, n, &seen);
		assert_true(seen.count + seen.orphan_count == there);
		tree_close(t);
		frames_close(f);
		overwrite_random_sectors(&frames, files.frames, frames.len[MOMENTS - 1], &seed);
		overwrite_random_sectors(&tree, files.tree, 512, &seed);
	}
	for (int i = 0; i < MOMENTS; i++) {
		free(frames.bytes[i]);
		free(tree.bytes[i]);
	}
	drop_files(&files);
}

static void test_tree_is_valid_after_power_failure(void **state)
{
	uint64_t orphans = 0, unknown = 0;

	(void)state;
	for (unsigned int seed = 1; seed <= 100; seed++)
		simulate_power_loss(seed, &orphans, &unknown);
	printf("%lu orphans, %lu nodes of frames that were gone\n", orphans, unknown);
	assert_true(orphans > 100 && unknown > 100);
}

/*
 * Fold the tree into a new tree. Check that the new tree is complete, unless an error was returned.
 * Return the error.
 */
static int fold(const struct tree *t)
{
	int fd = memfd_create("folded", 0), err;
	struct tree_totals books;
	struct tree *to;

	assert_true(fd >= 0);
	err = tree_open(&to, fd, ODB_WRITE, tree_generation(t));
	if (err) {
		close(fd);
		return err;
	}
	err = tree_fold(to, t, 400);
	if (!err)
		err = tree_sync(to, 1);
	if (!err)
		err = tree_totals(to, &books);
	if (!err)
		assert_true(books.count == 1000 && books.nodes <= 400);
	tree_close(to);
	return err;
}

static void expect_fault(int err)
{
	assert_true(err == -ENOSPC || err == -ENOMEM);
}

/* Make the @n-th call fail. Return whether at least @n calls were made. */
static bool run_with_fault(long n)
{
	struct files files = make_files();
	struct paths_seen seen;
	bool failed;
	int err;
	struct frames *f;
	struct tree *t;

	fault_arm(n, ENOSPC);
	err = open_both(&files, ODB_WRITE, 1, &f, &t);
	if (err) {
		expect_fault(err);
		assert_int_equal(open_both(&files, ODB_WRITE, 1, &f, &t), 0);
	}
	for (uint64_t i = 0; i < 1000; i++) {
		err = paths_add(f, t, i);
		if (err) {
			expect_fault(err);
			/* Adding paths succeeds again when the disk has space. */
			assert_int_equal(paths_add(f, t, i), 0);
		}
	}
	err = frames_sync(f, 1);
	if (!err)
		err = tree_sync(t, 1);
	if (!err)
		err = fold(t);
	if (err)
		expect_fault(err);
	failed = fault_disarm();
	paths_check(t, f, &seen);
	assert_true(seen.count == 1000);
	assert_int_equal(seen.wrong + seen.orphans + seen.unknown, 0);
	tree_close(t);
	frames_close(f);
	drop_files(&files);
	return failed;
}

static void test_every_call_fails_once(void **state)
{
	long n;

	(void)state;
	for (n = 1; run_with_fault(n); n++)
		;
	printf("%ld places\n", n - 1);
	assert_true(n > 15);
}

/*
 * If the header cannot be written to the disk, the writer assigns no frame numbers, because the
 * numbers would be lost with the header.
 */
static void test_unwritten_header_assigns_no_numbers(void **state)
{
	struct files files = make_files();
	struct frames *f;
	struct tree *t;

	(void)state;
	fault_arm_always("msync", EIO);
	assert_int_equal(open_both(&files, ODB_WRITE, 1, &f, &t), -EIO);
	assert_int_equal(open_both(&files, ODB_WRITE, 1, &f, &t), -EIO);
	assert_true(fault_disarm());
	assert_int_equal(open_both(&files, ODB_READ, 1, &f, &t), ODB_ERR_EMPTY);
	assert_int_equal(open_both(&files, ODB_WRITE, 1, &f, &t), 0);
	tree_close(t);
	frames_close(f);
	drop_files(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readers_see_complete_nodes),
		cmocka_unit_test(test_every_instruction_of_creation),
		cmocka_unit_test(test_every_instruction_of_growth),
		cmocka_unit_test(test_killed_writer_leaves_valid_tree),
		cmocka_unit_test(test_tree_is_valid_after_power_failure),
		cmocka_unit_test(test_every_call_fails_once),
		cmocka_unit_test(test_unwritten_header_assigns_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
