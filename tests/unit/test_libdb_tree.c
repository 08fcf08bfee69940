// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_tree.c -- tests files of call path trees: nodes, counts, limits, and arbitrary
 * contents.
 */
#include "config.h"
#include "tests/unit/paths.h"

#include <errno.h>

#define GENERATION 77

static struct tree *open_tree(int fd, enum odb_mode mode)
{
	struct tree *t = NULL;

	assert_int_equal(tree_open(&t, dup(fd), mode, GENERATION), 0);
	return t;
}

static uint32_t child(struct tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t number = 0;

	assert_int_equal(tree_child(t, parent, frame, &number), 0);
	return number;
}

static void test_equal_paths_share_nodes(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE), *reader;
	uint32_t a = child(t, TREE_ROOT, 10), b = child(t, a, 11), c = child(t, b, 10), none = 99;
	struct tree_totals books;
	struct tree_node node;

	(void)state;
	assert_int_equal(child(t, a, 11), b);
	assert_int_not_equal(child(t, TREE_ROOT, 11), b);
	assert_int_equal(tree_add(t, c, 5), 0);
	assert_int_equal(tree_add(t, c, 1ULL << 40), 0);
	assert_int_equal(tree_add(t, c, 1ULL << 48), -ERANGE);
	assert_int_equal(tree_add(t, 0, 1), -EINVAL);
	assert_int_equal(tree_add(t, c + 2, 1), -EINVAL);
	assert_int_equal(tree_child(t, c + 2, 11, &none), -EINVAL);
	assert_int_equal(tree_child(t, 3, 11, &none), -EINVAL);
	assert_int_equal(none, 99);
	reader = open_tree(fd, ODB_READ);
	assert_true(tree_node(reader, c, &node));
	assert_int_equal(node.parent, b);
	assert_int_equal(node.frame, 10);
	assert_true(node.count == (1ULL << 40) + 5);
	assert_true(tree_count(reader, c) == node.count);
	assert_int_equal(tree_count(reader, a), 0);
	assert_int_equal(tree_count(reader, 3), 0);
	assert_int_equal(tree_count(reader, UINT32_MAX), 0);
	assert_false(tree_node(reader, 3, &node));
	assert_false(tree_node(reader, UINT32_MAX, &node));
	assert_int_equal(tree_end(reader), c + 2);
	assert_int_equal(tree_totals(reader, &books), 0);
	assert_int_equal(books.nodes, 5);	/* the root also has a [folded] child */
	assert_true(books.count == (1ULL << 40) + 5);
	assert_int_equal(books.orphans + books.damaged + books.folded + books.lost, 0);
	tree_close(reader);
	assert_int_equal(tree_sync(t, 0), 0);
	assert_int_equal(tree_sync(t, 1), 0);
	tree_close(t);

	t = open_tree(fd, ODB_WRITE);
	assert_int_equal(child(t, a, 11), b);
	assert_int_equal(child(t, b, 12), c + 2);
	tree_close(t);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, GENERATION + 1), ODB_ERR_GENERATION);
	assert_int_equal(tree_open(&t, fd, ODB_READ, GENERATION + 1), ODB_ERR_GENERATION);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, 0), -EINVAL);
	/* From now on the reader owns the descriptor. */
	assert_int_equal(tree_open(&t, fd, ODB_READ, 0), 0);
	assert_true(tree_generation(t) == GENERATION);
	tree_close(t);
}

/* A reader that stays open sees new counts at once, and new nodes after a call of tree_more(). */
static void test_open_reader_sees_new_counts(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE), *reader;
	uint32_t a = child(t, TREE_ROOT, 10), b;
	struct tree_node node;

	(void)state;
	reader = open_tree(fd, ODB_READ);
	assert_true(tree_id(reader) == tree_id(t));
	b = child(t, a, 11);
	assert_int_equal(tree_add(t, a, 3), 0);
	assert_int_equal(tree_add(t, b, 4), 0);
	assert_int_equal(tree_end(reader), b);
	assert_false(tree_more(reader));
	assert_int_equal(tree_end(reader), b + 1);
	assert_true(tree_node(reader, a, &node) && node.count == 3);
	assert_true(tree_node(reader, b, &node) && node.count == 4 && node.parent == a);
	/* When a reader's mapping is full, further nodes are visible only to a newly opened
	 * reader. */
	for (uint32_t i = 0; i < 1000; i++)
		b = child(t, a, 100 + i);
	assert_true(tree_more(reader));
	assert_true(tree_end(reader) <= b);
	tree_close(reader);
	reader = open_tree(fd, ODB_READ);
	assert_int_equal(tree_end(reader), b + 1);
	tree_close(reader);
	tree_close(t);
	close(fd);
}

/*
 * If a bit of a node's count or checksum changes, the node is reported as missing and the wrong
 * count is not returned.
 */
static void test_changed_bit_makes_node_missing(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t a = child(t, TREE_ROOT, 10);
	off_t at = 16 * (off_t)a + 8;
	struct tree_node node;
	uint64_t word, changed;

	(void)state;
	for (uint64_t count = 1; count < 1ULL << 46; count *= 3) {
		assert_int_equal(tree_add(t, a, count), 0);
		assert_int_equal(pread(fd, &word, sizeof(word), at), sizeof(word));
		for (int bit = 0; bit < 64; bit++) {
			changed = word ^ 1ULL << bit;
			assert_int_equal(pwrite(fd, &changed, sizeof(changed), at), sizeof(changed));
			assert_false(tree_node(t, a, &node));
		}
		assert_int_equal(pwrite(fd, &word, sizeof(word), at), sizeof(word));
		assert_true(tree_node(t, a, &node));
	}
	tree_close(t);
	close(fd);
}

/* A tree file of version 1, whose checksums do not cover counts, can be read and extended. */
static void test_version_1_is_read_and_extended(void **state)
{
	const uint32_t first = 1;
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t a = child(t, TREE_ROOT, 10);
	struct tree_node node;
	uint64_t before, after;

	(void)state;
	tree_close(t);
	assert_int_equal(pwrite(fd, &first, sizeof(first), 4), sizeof(first));
	assert_int_equal(pread(fd, &before, sizeof(before), 16 * (off_t)a + 8), sizeof(before));
	t = open_tree(fd, ODB_WRITE);
	assert_int_equal(child(t, TREE_ROOT, 10), a);
	assert_int_equal(tree_add(t, a, 1000), 0);
	assert_true(tree_node(t, a, &node));
	assert_int_equal(node.count, 1000);
	assert_int_equal(pread(fd, &after, sizeof(after), 16 * (off_t)a + 8), sizeof(after));
	assert_true(after == before + 1000);
	tree_close(t);
	close(fd);
}

/* A tree file of a later version is refused with the version in the message, and is not changed. */
static void test_later_version_is_refused(void **state)
{
	const uint32_t later = 3;
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t version;

	(void)state;
	child(t, TREE_ROOT, 10);
	tree_close(t);
	assert_int_equal(pwrite(fd, &later, sizeof(later), 4), sizeof(later));
	assert_int_equal(tree_open(&t, fd, ODB_READ, 0), ODB_ERR_VERSION);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, GENERATION), ODB_ERR_VERSION);
	assert_non_null(strstr(odb_strerror(ODB_ERR_VERSION), "newer version"));
	assert_int_equal(pread(fd, &version, sizeof(version), 4), sizeof(version));
	assert_int_equal(version, later);
	close(fd);
}

/*
 * If the number of nodes is limited, each count is added to a node on its path, or to the [folded]
 * child of an ancestor.
 */
static void test_limited_tree_counts_at_ancestors(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t a = child(t, TREE_ROOT, 10), b = child(t, a, 11), none;
	uint32_t root_folded = tree_folded_above(t, b), folded;

	(void)state;
	assert_int_equal(root_folded, TREE_FIRST);
	folded = child(t, a, FRAME_FOLDED);
	tree_limit(t, tree_end(t));
	assert_int_equal(tree_child(t, b, 12, &none), -EFBIG);
	assert_int_equal(tree_folded_above(t, b), folded);
	assert_int_equal(tree_folded_above(t, TREE_ROOT), root_folded);
	assert_int_equal(tree_folded_above(t, 12345), root_folded);
	assert_int_equal(tree_add(t, tree_folded_above(t, b), 3), 0);
	assert_int_equal(child(t, a, 11), b);
	tree_close(t);
	close(fd);
}

/* A reader that has read the number of nodes does not see nodes that are added later. */
static void test_reader_ignores_later_nodes(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE), *reader = open_tree(fd, ODB_READ);
	uint32_t end = tree_end(reader);

	(void)state;
	assert_int_equal(child(t, TREE_ROOT, 10), end);
	assert_int_equal(tree_end(reader), end);
	tree_close(reader);
	reader = open_tree(fd, ODB_READ);
	assert_int_equal(tree_end(reader), end + 1);
	tree_limit(reader, end);
	assert_int_equal(tree_end(reader), end);
	tree_close(reader);
	tree_close(t);
	close(fd);
}

static void fill(int tree_fd, int frames_fd, uint64_t nr)
{
	struct frames *f;
	struct tree *t;

	assert_int_equal(frames_open(&f, dup(frames_fd), ODB_WRITE, 1), 0);
	assert_int_equal(tree_open(&t, dup(tree_fd), ODB_WRITE, frames_generation(f)), 0);
	for (uint64_t n = 0; n < nr; n++)
		assert_int_equal(paths_add(f, t, n), 0);
	tree_close(t);
	frames_close(f);
}

/*
 * Read a file with arbitrary bytes without a crash, and open it for writing, which extends or
 * refuses it.
 */
static void read_and_extend(int fd)
{
	struct tree *t, *to;
	struct tree_totals books;
	uint32_t number;
	int copy = memfd_create("copy", 0);

	for (int mode = ODB_READ; mode <= ODB_WRITE; mode++) {
		int again = dup(fd), err = tree_open(&t, again, mode, mode == ODB_READ ? 0 : GENERATION);

		if (err) {
			assert_true(err == ODB_ERR_FORMAT || err == ODB_ERR_TRUNCATED ||
				    err == ODB_ERR_EMPTY || err == ODB_ERR_GENERATION ||
				    err == ODB_ERR_VERSION);
			close(again);
			continue;
		}
		assert_int_equal(tree_totals(t, &books), 0);
		assert_int_equal(tree_open(&to, dup(copy), ODB_WRITE, GENERATION), 0);
		err = mode == ODB_READ ? tree_merge(to, t, NULL, NULL) : tree_fold(to, t, 20);
		assert_true(!err || err == -ERANGE);
		if (mode == ODB_WRITE) {
			assert_int_equal(tree_child(t, tree_folded_above(t, 0), 1000, &number), 0);
			assert_true(tree_folded_above(t, number) >= TREE_FIRST);
		}
		tree_close(to);
		tree_close(t);
		assert_int_equal(ftruncate(copy, 0), 0);
	}
	close(copy);
}

static void test_truncated_tree_is_read(void **state)
{
	int fd = memfd_create("tree", 0), frames = memfd_create("frames", 0);
	static unsigned char bytes[1 << 18];
	size_t len;

	(void)state;
	fill(fd, frames, 2000);
	len = pread(fd, bytes, sizeof(bytes), 0);
	assert_true(len > 30000 && len < sizeof(bytes));
	for (size_t cut = 0; cut < len; cut += cut < 100 || cut > len - 100 ? 1 : 977) {
		struct paths_seen seen;
		int copy = paths_memfd(bytes, cut);
		struct frames *f;
		struct tree *t;
		int err = tree_open(&t, dup(copy), ODB_READ, 0);

		assert_int_equal(err, cut == 0 ? ODB_ERR_EMPTY : cut < 64 ? ODB_ERR_TRUNCATED : 0);
		if (!err) {
			assert_int_equal(frames_open(&f, dup(frames), ODB_READ, 0), 0);
			paths_check(t, f, &seen);
			assert_int_equal(seen.wrong + seen.orphans + seen.unknown, 0);
			frames_close(f);
			tree_close(t);
		}
		memcpy(bytes + 16, (uint64_t[]){ GENERATION }, 8);
		close(copy);
		copy = paths_memfd(bytes, cut);
		read_and_extend(copy);
		close(copy);
	}
	close(fd);
	close(frames);
}

static void test_random_bytes_are_survived(void **state)
{
	int fd = memfd_create("tree", 0), frames = memfd_create("frames", 0);
	static unsigned char bytes[1 << 18], bad[1 << 18];
	unsigned int seed = 4711;
	size_t len;

	(void)state;
	fill(fd, frames, 500);
	len = pread(fd, bytes, sizeof(bytes), 0);
	memcpy(bytes + 16, (uint64_t[]){ GENERATION }, 8);
	for (int i = 0; i < 1500; i++) {
		size_t n = 1 + rand_r(&seed) % 64;
		size_t at = rand_r(&seed) % (i % 3 ? len - 64 : 64);
		int copy;

		memcpy(bad, bytes, len);
		for (size_t j = 0; j < n; j++)
			bad[at + j] = i % 4 ? rand_r(&seed) : 0xff;
		copy = paths_memfd(bad, len);
		read_and_extend(copy);
		close(copy);
	}
	close(fd);
	close(frames);
}

/* Files with valid checksums that are not valid trees are read without a crash. */
static void test_invalid_trees_are_survived(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t node = TREE_ROOT;

	(void)state;
	for (int i = 0; i < 100000; i++)	/* one long path, whose sum of counts overflows */
		node = child(t, node, i % 7 == 6 ? FRAME_FOLDED : i % 7 == 5 ? FRAME_LOST : 4);
	for (uint32_t i = TREE_FIRST; i < tree_end(t); i++)
		assert_int_equal(tree_add(t, i, (1ULL << 48) - 1), 0);
	tree_close(t);
	read_and_extend(fd);
	close(fd);
}

static void test_not_a_tree(void **state)
{
	char text[5000];
	struct tree *t;
	int fd;

	(void)state;
	memset(text, 'x', sizeof(text));
	fd = paths_memfd(text, sizeof(text));
	assert_int_equal(tree_open(&t, fd, ODB_READ, 0), ODB_ERR_FORMAT);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, 1), ODB_ERR_FORMAT);
	close(fd);
	/* the header consists of zeros, because it has never reached the disk */
	memset(text, 0, 4000);
	fd = paths_memfd(text, sizeof(text));
	assert_int_equal(tree_open(&t, fd, ODB_READ, 0), ODB_ERR_EMPTY);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, 1), ODB_ERR_FORMAT);
	close(fd);
	fd = open("/dev/null", O_RDWR);
	assert_int_equal(tree_open(&t, fd, ODB_WRITE, 1), ODB_ERR_FORMAT);
	close(fd);
}

/*
 * If another process truncates the file, the daemon's look-up of a node for a new count fails
 * without a crash.
 */
static void test_truncation_while_open_is_survived(void **state)
{
	int fd = memfd_create("tree", 0);
	struct tree *t = open_tree(fd, ODB_WRITE);
	uint32_t a = child(t, TREE_ROOT, 10);

	(void)state;
	assert_int_equal(odb_survive_lost_pages(), 0);
	assert_int_not_equal(tree_folded_above(t, a), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(tree_folded_above(t, a), 0);
	assert_int_equal(tree_add(t, 0, 1), -EINVAL);
	tree_close(t);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_paths_share_nodes),
		cmocka_unit_test(test_open_reader_sees_new_counts),
		cmocka_unit_test(test_reader_ignores_later_nodes),
		cmocka_unit_test(test_changed_bit_makes_node_missing),
		cmocka_unit_test(test_version_1_is_read_and_extended),
		cmocka_unit_test(test_later_version_is_refused),
		cmocka_unit_test(test_limited_tree_counts_at_ancestors),
		cmocka_unit_test(test_truncated_tree_is_read),
		cmocka_unit_test(test_random_bytes_are_survived),
		cmocka_unit_test(test_invalid_trees_are_survived),
		cmocka_unit_test(test_not_a_tree),
		cmocka_unit_test(test_truncation_while_open_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
