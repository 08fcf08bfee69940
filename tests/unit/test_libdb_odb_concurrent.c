// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_odb_concurrent.c -- tests libdb with concurrent processes: readers of a growing file
 * see correct sums, and a writer that is killed at any moment loses no completed update.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "libdb/odb.h"

#define HEADER 72
#define KILLS 100
#define READS 300

/* Progress of the writer, in shared memory. The n-th update adds 1 to the count of key_of(n). */
struct progress {
	_Atomic uint64_t started, done;
	_Atomic int stop;
};

/* Return the key of update @n: usually a new key, sometimes an earlier one. */
static uint64_t key_of(uint64_t n)
{
	uint64_t z = (n % 5 ? n : n / 2) * 0x9e3779b97f4a7c15;

	return ((z ^ (z >> 31)) & 0xffffffff) | 1;
}

static struct progress *make_progress(void)
{
	struct progress *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				  -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static int open_file(void **state, int flags)
{
	int dir = check_open_dir(state);
	int fd = openat(dir, "samples", flags | O_CREAT, 0600);

	close(dir);
	assert_true(fd >= 0);
	return fd;
}

static void write_on(void **state, struct progress *p)
{
	struct odb *db;

	if (odb_open(&db, open_file(state, O_RDWR), HEADER, ODB_WRITE, NULL))
		_exit(1);
	memset(odb_header(db), 'h', HEADER);
	while (!p->stop && p->done < 20000000) {
		uint64_t n = p->started++;

		if (odb_update(db, key_of(n), 1))
			_exit(2);
		p->done++;
	}
	odb_close(db);
	_exit(0);
}

static pid_t start_writer(void **state, struct progress *p)
{
	pid_t pid = check_fork();

	if (!pid)
		write_on(state, p);
	return pid;
}

/* Check that the node that was added last is complete. */
static bool last_nodes_good(const struct odb *db)
{
	uint32_t nr, count;
	uint64_t key;

	for (int i = 0; i < 2000; i++) {
		nr = odb_nr_nodes(db);
		odb_node(db, nr - 1, &key, &count);
		if (nr > 1 && (!key || !count))
			return false;
	}
	return true;
}

/*
 * Check that the sums of a reader that opens the file now include all updates that were complete
 * before, and no update that has not begun. Return 0, or the number of the failed check, because
 * this function runs in processes without cmocka.
 */
static int read_once(void **state, const struct progress *p)
{
	uint64_t before = p->done, sum;
	struct odb *db;
	int fd = open_file(state, O_RDONLY), i;
	int err = odb_open(&db, fd, HEADER, ODB_READ, NULL);

	if (err == ODB_ERR_EMPTY && !before) {
		close(fd);
		return 0;
	}
	if (err)
		return 1;
	err = ((char *)odb_header(db))[0] != 'h' ? 2 : 0;
	if (!err && !last_nodes_good(db))
		err = 3;
	/* Read in a second pass, because the writer may have extended the file. */
	for (i = 0; i < 2 && !err; i++) {
		sum = odb_total(db);
		if (sum < before)
			err = 4;
		else if (sum > p->started)
			err = 5;
	}
	odb_close(db);
	return err;
}

static void test_readers_see_complete_nodes(void **state)
{
	struct progress *p = make_progress();
	pid_t writer = start_writer(state, p), readers[2];
	int i, n, err = 0, status[2], writer_status;

	for (i = 0; i < 2; i++) {
		readers[i] = check_fork();
		if (readers[i])
			continue;
		/*
		 * Readers continue until the writer has run for a while, but at most until a
		 * million nodes exist, because each read takes long then.
		 */
		for (n = 0; (n < READS || p->done <= 1000) && p->done < 1000000 && !err; n++) {
			err = n < 1000000 ? read_once(state, p) : 6;
			if (!p->done)
				sched_yield();
		}
		_exit(err);
	}
	for (i = 0; i < 2; i++)
		waitpid(readers[i], &status[i], 0);
	p->stop = 1;
	waitpid(writer, &writer_status, 0);
	assert_int_equal(WEXITSTATUS(status[0]), 0);
	assert_int_equal(WEXITSTATUS(status[1]), 0);
	assert_int_equal(writer_status, 0);
	assert_true(p->done > 1000);
	assert_int_equal(read_once(state, p), 0);
	munmap(p, 4096);
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Check that the counts in @db are exactly those of the updates 0 to @nr - 1. */
static void check_exactly(const struct odb *db, uint64_t nr)
{
	uint64_t *expected = malloc((nr + 1) * sizeof(*expected));
	uint64_t *got = malloc((nr + 1) * sizeof(*got));
	uint64_t n = 0, key, i;
	uint32_t count;

	assert_non_null(expected);
	assert_non_null(got);
	for (i = 0; i < nr; i++)
		expected[i] = key_of(i);
	for (uint32_t node = 0; node < odb_nr_nodes(db); node++) {
		odb_node(db, node, &key, &count);
		while (count--) {
			assert_true(n < nr);
			got[n++] = key;
		}
	}
	assert_true(n == nr);
	qsort(expected, nr, sizeof(*expected), compare_keys);
	qsort(got, nr, sizeof(*got), compare_keys);
	assert_memory_equal(expected, got, nr * sizeof(*got));
	free(expected);
	free(got);
}

static void check_after_kill(void **state, struct progress *p)
{
	struct odb_repair repair;
	struct odb *db;
	uint64_t sum;
	int fd = open_file(state, O_RDONLY), err;

	err = odb_open(&db, fd, HEADER, ODB_READ, NULL);
	if (err == ODB_ERR_EMPTY && !p->done) {
		close(fd);
		return;
	}
	assert_int_equal(err, 0);
	sum = odb_total(db);
	/* The file may or may not contain the update during which the writer was killed. */
	assert_true(sum == p->done || sum == p->started);
	check_exactly(db, sum);
	odb_close(db);

	assert_int_equal(odb_open(&db, open_file(state, O_RDWR), HEADER, ODB_WRITE, &repair), 0);
	assert_int_equal(repair.dropped_nodes, 0);
	check_exactly(db, sum);
	for (uint64_t n = sum; n < sum + 300; n++)
		assert_int_equal(odb_update(db, key_of(n), 1), 0);
	check_exactly(db, sum + 300);
	odb_close(db);
	assert_int_equal(odb_open(&db, open_file(state, O_RDWR), HEADER, ODB_WRITE, &repair), 0);
	assert_int_equal(repair.repaired, 0);
	odb_close(db);
}

static void test_killed_writer_leaves_valid_file(void **state)
{
	unsigned int seed = time(NULL);
	int i, dir = check_open_dir(state), status;
	struct progress *p;

	printf("seed %u\n", seed);
	for (i = 0; i < KILLS; i++) {
		struct timespec t = { 0, rand_r(&seed) % (i % 2 ? 200000 : 1000000) };
		pid_t writer;

		p = make_progress();
		writer = start_writer(state, p);
		while (i % 8 && !p->started && !waitpid(writer, &status, WNOHANG))
			sched_yield();
		nanosleep(&t, NULL);
		kill(writer, SIGKILL);
		waitpid(writer, &status, 0);
		assert_true(WIFSIGNALED(status));
		check_after_kill(state, p);
		unlinkat(dir, "samples", 0);
		munmap(p, 4096);
	}
	close(dir);
}

/*
 * Child process: stop itself before update @from, or before creating the file if @from is 0, and
 * then update until @to while the parent single-steps it.
 */
static void stepped_writer(void **state, struct progress *p, uint64_t from, uint64_t to)
{
	struct odb *db;
	int fd = open_file(state, O_RDWR);

	if (!from)
		raise(SIGSTOP);
	if (odb_open(&db, fd, HEADER, ODB_WRITE, NULL))
		_exit(1);
	memset(odb_header(db), 'h', HEADER);
	while (p->started < to) {
		uint64_t n = p->started++;

		if (n && n == from)
			raise(SIGSTOP);
		if (odb_update(db, key_of(n), 1))
			_exit(2);
		p->done++;
	}
	raise(SIGSTOP);
	_exit(0);
}

/* Check, in both open modes, the file that remains if the writer is killed at this moment. */
static void check_copy(const void *bytes, size_t len, const struct progress *p)
{
	struct odb_repair repair;
	struct odb *db;
	uint64_t sum;
	int fd, err;

	for (int mode = ODB_READ; mode <= ODB_WRITE; mode++) {
		fd = memfd_create("copy", 0);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, bytes, len), len);
		err = odb_open(&db, fd, HEADER, mode, &repair);
		if (err == ODB_ERR_EMPTY && mode == ODB_READ && !p->done) {
			close(fd);
			continue;
		}
		assert_int_equal(err, 0);
		sum = odb_total(db);
		assert_true(sum == p->done || sum == p->started);
		check_exactly(db, sum);
		for (int i = 0; i < HEADER && (sum || mode == ODB_READ); i++)
			assert_int_equal(((char *)odb_header(db))[i], 'h');
		if (mode == ODB_WRITE) {
			assert_int_equal(repair.dropped_nodes, 0);
			assert_int_equal(odb_update(db, key_of(sum), 1), 0);
			check_exactly(db, sum + 1);
		}
		odb_close(db);
	}
}

/*
 * Single-step the writer from update @from to update @to, and check the file after each
 * instruction.
 */
static void step(void **state, struct progress *p, uint64_t from, uint64_t to,
		 int expected_states)
{
	static unsigned char now[16384], before[16384];
	int status, fd = open_file(state, O_RDONLY), states = 0;
	ssize_t len, len_before = -1;
	pid_t writer = check_fork();

	if (!writer) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		stepped_writer(state, p, from, to);
	}
	waitpid(writer, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		close(fd);
		skip();	/* skip the test, because ptrace() is not permitted */
	}
	assert_true(WIFSTOPPED(status));
	do {
		len = pread(fd, now, sizeof(now), 0);
		if (len != len_before || memcmp(now, before, len)) {
			check_copy(now, len, p);
			memcpy(before, now, len);
			len_before = len;
			states++;
		}
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, writer, NULL, NULL), 0);
		waitpid(writer, &status, 0);
	} while (WIFSTOPPED(status) && p->done < to);
	assert_true(p->done == to);
	printf("%d different states of the file\n", states);
	assert_true(states > expected_states);
	kill(writer, SIGKILL);
	waitpid(writer, &status, 0);
	close(fd);
	munmap(p, 4096);
}

static void test_every_instruction_of_creation(void **state)
{
	step(state, make_progress(), 0, 4, 15);
}

/* The file grows when it has 127 nodes. */
static void test_every_instruction_of_growth(void **state)
{
	step(state, make_progress(), 124, 136, 40);
}

static void test_every_instruction_of_repair(void **state)
{
	const size_t nodes = HEADER + 32, hash = nodes + 128 * 16;
	struct progress *p = make_progress();
	static const char junk[200] = { 7, 7, 7 };
	struct odb *db;
	int fd = open_file(state, O_RDWR);

	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	memset(odb_header(db), 'h', HEADER);
	for (; p->done < 100; p->done++)
		assert_int_equal(odb_update(db, key_of(p->done), 1), 0);
	p->started = p->done;
	odb_close(db);
	/* Simulate an interrupted growth with a damaged hash. */
	assert_int_equal(pwrite(fd, junk, sizeof(junk), hash), sizeof(junk));
	assert_int_equal(ftruncate(fd, nodes + 256 * 20 - 100), 0);
	close(fd);
	step(state, p, 0, 102, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_readers_see_complete_nodes),
		test_in_dir(test_every_instruction_of_creation),
		test_in_dir(test_every_instruction_of_growth),
		test_in_dir(test_every_instruction_of_repair),
		test_in_dir(test_killed_writer_leaves_valid_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
