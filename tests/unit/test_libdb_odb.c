// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_odb.c -- tests libdb's files of sample counts through the public functions:
 * counts are stored and read back, also after growth, reopening, and beyond 32 bits; the file
 * format is that of OProfile 1.4.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/odb.h"

#define HEADER 72

static int open_file(void **state, int flags)
{
	int dir = check_open_dir(state);
	int fd = openat(dir, "samples", flags | O_CREAT, 0600);

	close(dir);
	assert_true(fd >= 0);
	return fd;
}

static struct odb *open_odb(void **state, enum odb_mode mode)
{
	struct odb_repair repair = { 0 };
	struct odb *db;

	assert_int_equal(odb_open(&db, open_file(state, mode == ODB_READ ? O_RDONLY : O_RDWR),
				  HEADER, mode, &repair), 0);
	assert_int_equal(repair.repaired, 0);
	return db;
}

static uint64_t sum_of(const struct odb *db, uint64_t key)
{
	uint64_t sum = 0, k;
	uint32_t count;

	for (uint32_t i = 0; i < odb_nr_nodes(db); i++) {
		odb_node(db, i, &k, &count);
		if (k == key)
			sum += count;
	}
	return sum;
}

static uint32_t nodes_of(const struct odb *db, uint64_t key)
{
	uint32_t i, count, n = 0;
	uint64_t k;

	for (i = 0; i < odb_nr_nodes(db); i++) {
		odb_node(db, i, &k, &count);
		n += k == key && count;
	}
	return n;
}

static void test_counts_add_up(void **state)
{
	struct odb *db = open_odb(state, ODB_WRITE);

	for (int round = 1; round <= 3; round++) {
		for (uint64_t key = 0; key < 10000; key++)
			assert_int_equal(odb_update(db, key * 0x10001, key % 7 + 1), 0);
	}
	for (uint64_t key = 0; key < 10000; key += 97)
		assert_int_equal(sum_of(db, key * 0x10001), 3 * (key % 7 + 1));
	assert_int_equal(odb_nr_nodes(db), 10001);
	odb_close(db);

	db = open_odb(state, ODB_WRITE);
	assert_int_equal(odb_update(db, 0x10001, 5), 0);
	odb_close(db);
	db = open_odb(state, ODB_READ);
	assert_int_equal(odb_nr_nodes(db), 10001);
	assert_int_equal(sum_of(db, 0x10001), 3 * 2 + 5);
	odb_close(db);
}

static void test_zero_count_makes_no_node(void **state)
{
	struct odb *db = open_odb(state, ODB_WRITE);

	assert_int_equal(odb_update(db, 1, 1), 0);
	assert_int_equal(odb_update(db, 2, 0), 0);
	assert_int_equal(odb_nr_nodes(db), 2);
	odb_close(db);
}

static void test_counts_beyond_32_bits(void **state)
{
	struct odb *db = open_odb(state, ODB_WRITE);

	assert_int_equal(odb_update(db, 7, UINT32_MAX - 1), 0);
	assert_int_equal(odb_update(db, 7, 1), 0);
	assert_int_equal(nodes_of(db, 7), 1);
	assert_int_equal(odb_update(db, 7, 1), 0);
	assert_int_equal(odb_update(db, 7, 10), 0);
	assert_int_equal(nodes_of(db, 7), 2);
	assert_int_equal(odb_update(db, 8, 5ULL << 32), 0);
	assert_int_equal(sum_of(db, 8), 5ULL << 32);
	assert_int_equal(odb_update(db, 9, (1ULL << 40) + 1), -ERANGE);
	odb_close(db);

	db = open_odb(state, ODB_WRITE);
	assert_int_equal(odb_update(db, 7, 1), 0);
	assert_int_equal(nodes_of(db, 7), 2);
	assert_int_equal(sum_of(db, 7), (1ULL << 32) + 11);
	odb_close(db);
}

/*
 * A hint of the node of a key, whether correct, outdated or invalid, does not change the result:
 * the update counts the key once, in its own node.
 */
static void test_wrong_hints_do_not_change_counts(void **state)
{
	enum { KEYS = 3000 };
	struct odb *db = open_odb(state, ODB_WRITE);
	uint32_t nodes[KEYS] = { 0 };
	uint64_t seed = 1, counts[KEYS] = { 0 };

	for (int i = 0; i < 20 * KEYS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;

		/* Multiples of 8 fall into few buckets, so hash chains are long. */
		uint64_t key = (seed >> 33) % KEYS, at = key * 8;
		const uint32_t places[] = {
			nodes[key], nodes[(key + 1) % KEYS], 0, UINT32_MAX, odb_nr_nodes(db), odb_nr_nodes(db) - 1,
		};

		assert_int_equal(odb_update_at(db, places[i % 6], at, 2), 0);
		counts[key] += 2;
		odb_fetch_bucket(db, at);
		nodes[key] = odb_fetch_next(db, at, odb_fetch_node(db, at));
	}
	for (uint64_t key = 0; key < KEYS; key += 7) {
		assert_int_equal(nodes_of(db, key * 8), counts[key] > 0);
		assert_int_equal(sum_of(db, key * 8), counts[key]);
	}
	assert_int_equal(odb_total(db), 2 * 20 * KEYS);
	/*
	 * A hint of the newest node of a key with several nodes, and a hint of an older, full node,
	 * are both valid.
	 */
	assert_int_equal(odb_update(db, 4, UINT32_MAX), 0);
	nodes[0] = odb_fetch_node(db, 4);
	assert_int_equal(odb_update_at(db, nodes[0], 4, 5), 0);
	assert_int_equal(odb_update_at(db, nodes[0], 4, 5), 0);
	assert_int_equal(odb_update_at(db, odb_fetch_node(db, 4), 4, 5), 0);
	assert_int_equal(nodes_of(db, 4), 2);
	assert_int_equal(sum_of(db, 4), UINT32_MAX + 15ull);
	odb_close(db);
}

static void test_new_file_is_empty_until_first_count(void **state)
{
	struct odb *db, *reader;
	int fd;

	fd = open_file(state, O_RDWR);
	assert_int_equal(odb_open(&reader, fd, HEADER, ODB_READ, NULL), ODB_ERR_EMPTY);
	close(fd);
	db = open_odb(state, ODB_WRITE);
	fd = open_file(state, O_RDONLY);
	assert_int_equal(odb_open(&reader, fd, HEADER, ODB_READ, NULL), ODB_ERR_EMPTY);
	assert_int_equal(((char *)odb_header(db))[0], 0);
	memset(odb_header(db), 'h', HEADER);
	assert_int_equal(odb_update(db, 3, 4), 0);
	assert_int_equal(odb_open(&reader, fd, HEADER, ODB_READ, NULL), 0);
	assert_int_equal(((char *)odb_header(reader))[HEADER - 1], 'h');
	assert_int_equal(sum_of(reader, 3), 4);
	odb_close(reader);
	odb_close(db);
}

static uint32_t u32_at(const unsigned char *file, size_t offset)
{
	uint32_t n;

	memcpy(&n, file + offset, sizeof(n));
	return n;
}

static void test_bytes_on_disk(void **state)
{
	const size_t nodes = HEADER + 32, hash = nodes + 16 * 128, len = hash + 4 * 128;
	static const unsigned char zero[24];
	unsigned char file[8192];
	struct odb *db;
	int fd;

	db = open_odb(state, ODB_WRITE);
	/* The bucket of a 64-bit key is (t ^ t >> 8) & 127, where t = upper word ^ lower word. */
	assert_int_equal(odb_update(db, 0x5, 3), 0);
	assert_int_equal(odb_update(db, 0x100000000, 2), 0);	/* a key in bucket 1 */
	assert_int_equal(odb_update(db, 0x1, 9), 0);		/* another key in bucket 1 */
	assert_int_equal(odb_update(db, 0x2040, 1), 0);		/* a key in bucket 0x60 */
	odb_close(db);

	fd = open_file(state, O_RDONLY);
	assert_int_equal(read(fd, file, sizeof(file)), len);
	close(fd);
	assert_int_equal(u32_at(file, HEADER), 128);
	assert_int_equal(u32_at(file, HEADER + 4), 5);
	assert_memory_equal(file + HEADER + 8, zero, 24);
	assert_memory_equal(file + nodes, zero, 16);
	assert_int_equal(u32_at(file, nodes + 16), 5);		/* the key, lower word */
	assert_int_equal(u32_at(file, nodes + 20), 0);		/* the key, upper word */
	assert_int_equal(u32_at(file, nodes + 24), 3);		/* the value */
	assert_int_equal(u32_at(file, nodes + 28), 0);		/* the next node of the chain */
	assert_int_equal(u32_at(file, nodes + 2 * 16 + 4), 1);
	assert_int_equal(u32_at(file, nodes + 3 * 16 + 12), 2);	/* the earlier node in bucket 1 */
	assert_int_equal(u32_at(file, hash + 4 * 5), 1);
	assert_int_equal(u32_at(file, hash + 4 * 1), 3);
	assert_int_equal(u32_at(file, hash + 4 * 0x60), 4);
}

static void test_file_grows_by_doubling(void **state)
{
	struct odb *db = open_odb(state, ODB_WRITE);
	struct stat st;
	uint64_t key;

	for (key = 0; key < 127; key++)
		assert_int_equal(odb_update(db, key, 1), 0);
	int fd = open_file(state, O_RDONLY);
	fstat(fd, &st);
	assert_int_equal(st.st_size, HEADER + 32 + 20 * 128);
	assert_int_equal(odb_update(db, key, 1), 0);
	fstat(fd, &st);
	assert_int_equal(st.st_size, HEADER + 32 + 20 * 256);
	close(fd);
	odb_close(db);
}

/*
 * If another process truncates a mapped file, at any page, neither the writer nor a reader crashes.
 */
static void test_truncated_file_is_survived(void **state)
{
	long page = sysconf(_SC_PAGESIZE);

	assert_int_equal(odb_survive_lost_pages(), 0);
	for (off_t len = 0; len < HEADER + 32 + 20 * 1024; len += page) {
		unsigned long lost = odb_lost_pages();
		int fd = open_file(state, O_RDWR | O_TRUNC), err = 0;
		struct odb *db = open_odb(state, ODB_WRITE), *reader;
		uint32_t count;
		uint64_t key;

		for (key = 1; key < 1000; key++)
			assert_int_equal(odb_update(db, key, 1), 0);
		reader = open_odb(state, ODB_READ);
		assert_int_equal(ftruncate(fd, len), 0);
		for (key = 1; key < 3000 && !err; key++)
			err = odb_update(db, key, 1);
		/* The writer does not extend the file over the truncated part. */
		assert_int_equal(err, ODB_ERR_TRUNCATED);
		for (uint32_t i = 0; i < odb_nr_nodes(reader); i++)
			odb_node(reader, i, &key, &count);
		assert_true(odb_lost_pages() > lost);
		odb_close(reader);
		odb_close(db);
		close(fd);
	}
}

/*
 * A reader that stays open sees new counts and nodes, and is told when it has to reopen the file.
 */
static void test_open_reader_sees_new_counts(void **state)
{
	int fd = open_file(state, O_RDWR | O_TRUNC);
	struct odb *db = open_odb(state, ODB_WRITE), *reader;

	assert_int_equal(odb_update(db, 1, 1), 0);
	reader = open_odb(state, ODB_READ);
	assert_int_equal(odb_update(db, 1, 2), 0);
	assert_int_equal(odb_update(db, 2, 4), 0);
	assert_int_equal(odb_total(reader), 7);
	assert_false(odb_outgrown(reader));
	for (uint64_t key = 3; key < 1000; key++)
		assert_int_equal(odb_update(db, key, 1), 0);
	assert_true(odb_outgrown(reader));
	odb_close(reader);
	reader = open_odb(state, ODB_READ);
	assert_false(odb_outgrown(reader));
	assert_int_equal(odb_total(reader), 7 + 997);
	odb_close(reader);
	odb_close(db);
	close(fd);
}

static void test_not_a_sample_file(void **state)
{
	int fd = open_file(state, O_RDWR);
	struct odb *db = (void *)1;
	char text[3000];

	assert_int_equal(odb_open(&db, fd, 7, ODB_READ, NULL), -EINVAL);
	assert_int_equal(write(fd, "short", 5), 5);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, NULL), ODB_ERR_TRUNCATED);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_READ, NULL), ODB_ERR_TRUNCATED);
	memset(text, 'x', sizeof(text));
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_WRITE, NULL), ODB_ERR_FORMAT);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_READ, NULL), ODB_ERR_FORMAT);
	assert_ptr_equal(db, (void *)1);
	close(fd);
	fd = open(*state, O_RDONLY);
	assert_int_equal(odb_open(&db, fd, HEADER, ODB_READ, NULL), ODB_ERR_FORMAT);
	close(fd);
}

static void test_every_error_has_words(void **state)
{
	(void)state;
	for (int err = -5002; err <= 0; err++)
		assert_non_null(odb_strerror(err));
	assert_string_not_equal(odb_strerror(ODB_ERR_FORMAT), odb_strerror(ODB_ERR_TRUNCATED));
	assert_string_equal(odb_strerror(-ENOSPC), strerror(ENOSPC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_counts_add_up),
		test_in_dir(test_open_reader_sees_new_counts),
		test_in_dir(test_zero_count_makes_no_node),
		test_in_dir(test_counts_beyond_32_bits),
		test_in_dir(test_wrong_hints_do_not_change_counts),
		test_in_dir(test_new_file_is_empty_until_first_count),
		test_in_dir(test_bytes_on_disk),
		test_in_dir(test_file_grows_by_doubling),
		test_in_dir(test_truncated_file_is_survived),
		test_in_dir(test_not_a_sample_file),
		cmocka_unit_test(test_every_error_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
