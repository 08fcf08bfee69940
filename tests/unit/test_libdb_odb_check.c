// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_odb_check.c -- tests damaged sample files: they are repaired from their nodes, and
 * never cause a crash.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libdb/layout.h"

#define HEADER 72

/* Create a sample file with @nr keys 10, 20, 30, ... whose counts are 1, 2, 3, ... */
static int make_file(uint32_t nr)
{
	struct odb *db;
	int fd = memfd_create("samples", 0);

	assert_true(fd >= 0);
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	memset(odb_header(db), 'h', HEADER);
	for (uint32_t i = 1; i <= nr; i++)
		assert_int_equal(odb_update(db, i * 10, i), 0);
	odb_close(db);
	return fd;
}

static size_t file_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void put_u32(int fd, size_t offset, uint32_t n)
{
	assert_int_equal(pwrite(fd, &n, sizeof(n), offset), sizeof(n));
}

#define DESCR		(HEADER)
#define NODE(i)		(HEADER + 32 + 16 * (size_t)(i))
#define NEXT(i)		(NODE(i) + 12)
#define HASH(size, i)	(NODE(size) + 4 * (size_t)(i))

static uint64_t sum_of(const struct odb *db, uint64_t key, uint32_t *nodes)
{
	uint64_t sum = 0, k;
	uint32_t count;

	*nodes = 0;
	for (uint32_t i = 0; i < odb_nr_nodes(db); i++) {
		odb_node(db, i, &k, &count);
		if (k == key && count) {
			sum += count;
			++*nodes;
		}
	}
	return sum;
}

/*
 * Open the file in @mode, and check that each key has its count in one node. @repaired: the
 * expected number of repairs.
 */
static void expect_counts(int fd, uint32_t nr, enum odb_mode mode, int repaired)
{
	struct odb_repair repair;
	struct odb *db;
	uint32_t nodes;

	assert_int_equal(odb_open(&db, dup(fd), HEADER, mode, &repair), 0);
	for (uint32_t i = 1; i <= nr; i++) {
		assert_int_equal(sum_of(db, i * 10, &nodes), i);
		assert_int_equal(nodes, 1);
	}
	if (mode == ODB_WRITE) {
		assert_int_equal(repair.repaired, repaired);
		assert_int_equal(repair.dropped_nodes, 0);
		for (uint32_t i = 1; i <= nr; i++)
			assert_int_equal(odb_update(db, i * 10, 1), 0);
		for (uint32_t i = 1; i <= nr; i++) {
			assert_int_equal(sum_of(db, i * 10, &nodes), i + 1);
			/* Each key has one node, so the hash table contains all keys. */
			assert_int_equal(nodes, 1);
		}
	}
	odb_close(db);
}

/* Check that the file can be repaired, and has all @nr counts. Close @fd. */
static void expect_all_repaired(int fd, uint32_t nr)
{
	struct odb_repair repair;
	struct odb *db;

	expect_counts(fd, nr, ODB_WRITE, 1);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, &repair), 0);
	assert_int_equal(repair.repaired, 0);
	odb_close(db);
}

/*
 * Check that the file can be read before the repair, and has all @nr counts before and after it.
 * Close @fd.
 */
static void expect_all(int fd, uint32_t nr, int repaired)
{
	expect_counts(fd, nr, ODB_READ, 0);
	if (repaired) {
		expect_all_repaired(fd, nr);
	} else {
		expect_counts(fd, nr, ODB_WRITE, 0);
		close(fd);
	}
}

static void test_growth_not_finished(void **state)
{
	int fd;

	(void)state;
	fd = make_file(127);
	assert_int_equal(ftruncate(fd, NODE(256) + 4 * 256), 0);
	expect_all(fd, 127, 1);
	/* The growth of the file was interrupted while zeros were written, because fallocate() is
	 * not supported. */
	fd = make_file(127);
	assert_int_equal(ftruncate(fd, NODE(128) + 4 * 128 + 1001), 0);
	expect_all(fd, 127, 1);
	/* The new node was linked, but the number of nodes was not stored yet. */
	fd = make_file(127);
	assert_int_equal(ftruncate(fd, NODE(256) + 4 * 256), 0);
	for (int i = 0; i < 128; i++)
		put_u32(fd, HASH(128, i), 0);
	expect_all(fd, 127, 1);
}

static void test_last_node_not_linked(void **state)
{
	int fd = make_file(100);
	uint32_t before;

	(void)state;
	assert_int_equal(pread(fd, &before, sizeof(before), NEXT(100)), sizeof(before));
	put_u32(fd, HASH(128, odb_bucket(1000, 128)), before);
	expect_all(fd, 100, 0);
}

static void test_invalid_hash_is_repaired(void **state)
{
	int fd;

	(void)state;
	fd = make_file(100);
	put_u32(fd, HASH(128, 3), 0xffffffff);
	expect_all(fd, 100, 1);
	fd = make_file(100);
	put_u32(fd, HASH(128, 3), 101);		/* a chain contains a node that is not in use */
	expect_all(fd, 100, 1);
	fd = make_file(100);
	for (int i = 0; i < 128; i++)
		put_u32(fd, HASH(128, i), 0);
	expect_all(fd, 100, 1);
}

static void test_truncated_file_is_repaired(void **state)
{
	struct odb_repair repair;
	struct odb *db;
	uint32_t nodes;
	int fd;

	(void)state;
	fd = make_file(100);	/* the file ends before the nodes */
	assert_int_equal(ftruncate(fd, NODE(101)), 0);
	expect_all(fd, 100, 1);

	/* the file ends before the end of node 0, which is the first node */
	fd = make_file(100);
	assert_int_equal(ftruncate(fd, NODE(0) + 13), 0);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, NULL), 0);
	assert_int_equal(odb_update(db, 5, 3), 0);
	assert_int_equal(sum_of(db, 5, &nodes), 3);
	odb_close(db);

	fd = make_file(1000);
	assert_int_equal(ftruncate(fd, NODE(51)), 0);
	for (int mode = ODB_READ; mode <= ODB_WRITE; mode++) {
		assert_int_equal(odb_open(&db, dup(fd), HEADER, mode, &repair), 0);
		assert_int_equal(sum_of(db, 500, &nodes), 50);
		assert_int_equal(sum_of(db, 510, &nodes), 0);
		odb_close(db);
	}
	assert_true(file_size(fd) == NODE(128) + 4 * 128);
	close(fd);
}

/* Headers whose size is impossible, or would make the file grow to 40 GB, are refused. */
static void test_impossible_sizes_are_refused(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 64, 256, 1u << 20, 1u << 31 };
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		fd = make_file(100);
		put_u32(fd, DESCR, sizes[i]);
		expect_counts(fd, 100, ODB_WRITE, 1);
		assert_true(file_size(fd) == NODE(128) + 4 * 128);
		close(fd);
	}
	/* The number of nodes is not a power of two, but the length of the file shows the size. */
	fd = make_file(100);
	put_u32(fd, DESCR, 129);
	expect_all(fd, 100, 1);
	fd = make_file(100);	/* a reader of a file with this header sees an empty file */
	put_u32(fd, DESCR + 4, 0);
	expect_all_repaired(fd, 100);
	fd = make_file(100);
	put_u32(fd, DESCR + 4, 5);
	expect_all_repaired(fd, 100);
	fd = make_file(100);
	put_u32(fd, DESCR + 4, 0xffffffff);
	expect_all(fd, 100, 1);
}

static void test_cyclic_chain_ends_lookup(void **state)
{
	struct odb_repair repair;
	struct odb *db;
	uint32_t nodes;
	int fd = make_file(100);

	(void)state;
	put_u32(fd, NEXT(7), 7);
	put_u32(fd, NEXT(9), 50);
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_READ, NULL), 0);
	assert_int_equal(sum_of(db, 70, &nodes), 0);
	assert_int_equal(sum_of(db, 80, &nodes), 8);
	odb_close(db);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, &repair), 0);
	assert_int_equal(repair.repaired, 1);
	assert_int_equal(repair.dropped_nodes, 2);
	assert_int_equal(odb_update(db, 70, 3), 0);
	assert_int_equal(odb_update(db, 123456, 3), 0);
	assert_int_equal(sum_of(db, 70, &nodes), 3);
	assert_int_equal(sum_of(db, 80, &nodes), 8);
	odb_close(db);
}

/*
 * A reader's lock does not block the writer. Two writers that use a file at the same time may cause
 * wrong counts, but no call hangs.
 */
static void test_two_writers_do_not_hang(void **state)
{
	int dir = check_open_dir(state);
	int fd = openat(dir, "f", O_RDWR | O_CREAT, 0600), other = openat(dir, "f", O_RDONLY);
	struct odb *db[2];

	close(dir);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(odb_open(&db[0], fd, HEADER, ODB_WRITE, NULL), 0);
	assert_int_equal(odb_update(db[0], 1, 1), 0);
	assert_int_equal(odb_open(&db[1], other, HEADER, ODB_READ, NULL), 0);
	odb_close(db[1]);
	odb_close(db[0]);

	fd = make_file(100);
	assert_int_equal(odb_open(&db[0], dup(fd), HEADER, ODB_WRITE, NULL), 0);
	assert_int_equal(odb_open(&db[1], dup(fd), HEADER, ODB_WRITE, NULL), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		odb_update(db[i % 2], i * 7, 1);
		odb_update(db[i / 3 % 2], i % 1000 * 10, 1);
	}
	odb_close(db[0]);
	odb_close(db[1]);
	assert_int_equal(odb_open(&db[0], fd, HEADER, ODB_WRITE, NULL), 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(odb_update(db[0], i, 1), 0);
	odb_close(db[0]);
}

/*
 * Open a file with arbitrary bytes, read all keys, update a key and close the file, without a
 * crash.
 */
static void use_damaged_file(const void *bytes, size_t len)
{
	int fd = memfd_create("mutated", 0), mode;
	uint32_t count;
	struct odb *db;
	uint64_t key;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	for (mode = ODB_READ; mode <= ODB_WRITE; mode++) {
		if (odb_open(&db, dup(fd), HEADER, mode, NULL))
			continue;
		for (uint32_t i = 0; i < odb_nr_nodes(db); i++)
			odb_node(db, i, &key, &count);
		for (uint32_t i = 0; i < 40 && mode == ODB_WRITE; i++)
			assert_int_equal(odb_update(db, i * 10, 1), 0);
		odb_close(db);
	}
	assert_true(file_size(fd) <= 4 * len + 65536);
	close(fd);
}

/*
 * Reading a sparse file with the length of 2^30 nodes takes time in proportion to its allocated
 * blocks, and finds all counts, including those after a hole.
 */
static void test_holes_are_not_read(void **state)
{
	uint32_t size = 1u << 30, first = 1000000, found = 0;
	struct odb_descr descr = { .size = size, .current_size = size };
	struct odb_node near = { .key = 7, .value = 3 }, far = { .key = 9, .value = 4, .next = 1 };
	int fd = memfd_create("sparse", 0);
	struct odb *db;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, odb_file_size(HEADER, size)), 0);
	assert_int_equal(pwrite(fd, &descr, sizeof(descr), DESCR), sizeof(descr));
	assert_int_equal(pwrite(fd, &near, sizeof(near), NODE(1)), sizeof(near));
	assert_int_equal(pwrite(fd, &far, sizeof(far), NODE(first)), sizeof(far));
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_READ, NULL), 0);
	assert_int_equal(odb_nr_nodes(db), size);
	for (uint32_t i = odb_next_node(db, 0); i < size; i = odb_next_node(db, i + 1))
		found++;
	/* one or two pages of nodes in each of the two allocated areas */
	assert_in_range(found, 2, 2 * 65536);
	assert_int_equal(odb_total(db), 7);
	odb_close(db);
	close(fd);
}

static void test_every_byte_changed(void **state)
{
	static unsigned char good[8192], bad[8192];
	int fd = make_file(200);
	size_t len = file_size(fd), i;

	(void)state;
	assert_int_equal(pread(fd, good, sizeof(good), 0), len);
	close(fd);
	for (i = HEADER; i < len; i++) {
		memcpy(bad, good, len);
		bad[i] ^= 1 << i % 8;
		use_damaged_file(bad, len);
		bad[i] = i % 2 ? 0xff : 0;
		use_damaged_file(bad, len);
	}
	for (i = 0; i < len; i += 7)
		use_damaged_file(good, i);
}

static void test_random_damage_is_survived(void **state)
{
	static unsigned char good[8192], bad[8192];
	unsigned int seed = 1;
	int fd = make_file(200), i, n;
	size_t len = file_size(fd);

	(void)state;
	assert_int_equal(pread(fd, good, sizeof(good), 0), len);
	close(fd);
	for (i = 0; i < 5000; i++) {
		memcpy(bad, good, len);
		for (n = rand_r(&seed) % 50; n >= 0; n--)
			bad[HEADER + rand_r(&seed) % (len - HEADER)] = rand_r(&seed);
		use_damaged_file(bad, i % 3 ? len : rand_r(&seed) % len);
	}
}

#define PAGE 4096
#define OLD_NODES 700
#define NEW_NODES 3000

static size_t read_and_close(int fd, void *buf, size_t max)
{
	size_t len = file_size(fd);

	assert_true(len <= max);
	memset(buf, 0, max);
	assert_int_equal(pread(fd, buf, len, 0), len);
	close(fd);
	return len;
}

/*
 * Repair the file @bytes. Check that all counts of the last sync are present. Return the number of
 * later counts that are wrong.
 */
static size_t count_wrong_counts(const void *bytes, size_t len)
{
	struct odb_repair repair;
	struct odb *db;
	uint32_t count;
	size_t invented = 0;
	uint64_t key;
	int fd = memfd_create("cut", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, &repair), 0);
	for (uint32_t i = 1; i < odb_nr_nodes(db); i++) {
		odb_node(db, i, &key, &count);
		if (i <= OLD_NODES) {
			assert_int_equal(key, i * 10);
			assert_int_equal(count, i);
		}
		/*
		 * A key that crosses a page boundary may be lost, because its count was made after
		 * the sync.
		 */
		if (!key && (NODE(i) + sizeof(key)) % PAGE == 0)
			continue;
		invented += count && (key != i * 10 || count != i);
	}
	odb_close(db);
	return invented;
}

/*
 * After a power failure the file can be repaired. Each page has its contents from the last sync or
 * later, or is zero if it is beyond the old end of the file. The length of the file is the old or
 * the new length.
 */
static void test_file_is_repaired_after_power_failure(void **state)
{
	static unsigned char old[PAGE * 32], new[PAGE * 32], cut[PAGE * 32];
	size_t old_len, new_len, len, page, invented = 0;
	unsigned int seed = 1;
	int round;

	(void)state;
	old_len = read_and_close(make_file(OLD_NODES), old, sizeof(old));
	new_len = read_and_close(make_file(NEW_NODES), new, sizeof(new));

	/* In the second run, the growth with its zeroed hash table has already reached the disk. */
	for (int flushed = 0; flushed <= 1; flushed++) {
		if (flushed)
			memset(old + HASH(1024, 0), 0, 4 * 1024);
		invented = 0;
		for (round = 0; round < 500; round++) {
			len = round % 4 || flushed ? new_len : old_len;
			for (page = 0; page < len; page += PAGE)
				memcpy(cut + page, (rand_r(&seed) % 2 ? new : old) + page, PAGE);
			invented += count_wrong_counts(cut, len);
		}
		printf("%zu nodes invented in %d power cuts\n", invented, round);
	}
	assert_int_equal(invented, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_not_finished),
		cmocka_unit_test(test_last_node_not_linked),
		cmocka_unit_test(test_invalid_hash_is_repaired),
		cmocka_unit_test(test_truncated_file_is_repaired),
		cmocka_unit_test(test_impossible_sizes_are_refused),
		cmocka_unit_test(test_cyclic_chain_ends_lookup),
		test_in_dir(test_two_writers_do_not_hang),
		cmocka_unit_test(test_holes_are_not_read),
		cmocka_unit_test(test_every_byte_changed),
		cmocka_unit_test(test_random_damage_is_survived),
		cmocka_unit_test(test_file_is_repaired_after_power_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
