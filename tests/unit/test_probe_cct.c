// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_cct.c -- tests calling context trees (trees of call paths) and their memory arenas
 * against simple models.
 */
#include "config.h"
#include "probe/core/cct.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libop/raw/live_tree.h"
#include "tests/unit/check.h"

static uint64_t random64(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void test_arena_objects_are_zero_and_disjoint(void **state)
{
	struct arena_file file = { 0 };
	uint64_t seed = 1, total = 0;
	struct arena arena;
	static uint32_t refs[40000], sizes[40000];

	(void)state;
	assert_int_equal(arena_init(&arena, &file, 3), 0);
	for (size_t i = 0; i < 40000; i++) {
		sizes[i] = 1 + random64(&seed) % (i % 100 ? 200 : 30000);
		refs[i] = arena_alloc(&arena, sizes[i]);
		assert_true(refs[i] >= RAW_LIVE_TOP);
		assert_true(!i || refs[i] > refs[i - 1]);
		for (uint32_t k = 0; k < sizes[i]; k++)
			assert_int_equal(((unsigned char *)arena_at(&arena, refs[i]))[k], 0);
		memset(arena_at(&arena, refs[i]), i % 255 + 1, sizes[i]);
		total += sizes[i];
	}
	assert_true(arena.nr_chunks > 5 && arena.used < 2 * total);
	for (uint32_t k = 0; k < arena.nr_chunks; k++)
		assert_int_equal(((const struct raw_live_chunk *)arena.live.chunks[k])->size, (uint64_t)RAW_LIVE_FIRST << k);
	for (size_t i = 0; i < 40000; i++) {
		const unsigned char *at = arena_at(&arena, refs[i]);

		assert_ptr_equal(raw_live_get(&arena.live, refs[i], sizes[i]), at);
		assert_int_equal(at[0], i % 255 + 1);
		assert_int_equal(at[sizes[i] - 1], i % 255 + 1);
	}
	/* A reference with a value that no object can have is refused. */
	assert_null(raw_live_get(&arena.live, 0, 1));
	assert_null(raw_live_get(&arena.live, 1, 8));
	assert_null(raw_live_get(&arena.live, RAW_LIVE_FIRST / 8 - 1, 16));
	assert_null(raw_live_get(&arena.live, UINT32_MAX, 8));
	assert_null(raw_live_get(&arena.live, RAW_LIVE_TOP, UINT64_MAX));
	arena_release(&arena);
}

static void limit_files(rlim_t most)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/*
 * If the disk is full, or the limit of the file size is reached, an existing arena does not grow
 * beyond its file, so that a reader of the file finds all objects. A new arena then uses only
 * memory, without a file.
 */
static void test_arena_does_not_grow_on_full_disk(void **state)
{
	struct fd fd;
	struct arena_file file = { .fd = &fd };
	struct arena arena, second;
	char path[200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/live", (char *)*state);
	assert_int_equal(fd_create(&fd, path, O_RDWR), 0);
	assert_int_equal(arena_init(&arena, &file, 0), 0);
	assert_true(arena_alloc(&arena, 60000));
	limit_files(3 * RAW_LIVE_FIRST);
	assert_true(arena_alloc(&arena, 60000));
	for (int i = 0; i < 3; i++)
		assert_int_equal(arena_alloc(&arena, 100000), 0);
	assert_true(arena_alloc(&arena, 60000));
	assert_true(arena.is_in_file);
	assert_int_equal(arena_init(&second, &file, 1), 0);
	assert_true(arena_alloc(&second, 1000000));
	assert_false(second.is_in_file);
	assert_int_equal(fstat(fd.fd, &st), 0);
	assert_int_equal(st.st_size, 3 * RAW_LIVE_FIRST);
	/* After the limit of the file size is removed, the file grows again. */
	limit_files(RLIM_INFINITY);
	assert_true(arena_alloc(&arena, 100000));
	assert_int_equal(fstat(fd.fd, &st), 0);
	assert_int_equal(st.st_size, 7 * RAW_LIVE_FIRST);
	arena_release(&arena);
	arena_release(&second);
	fd_close(&fd);
}

#define PATHS	1000000
#define DEPTH	6

/* The model of a tree: an array of paths, each a string of numbers, sorted by path. */
struct path {
	uint8_t len, ip[DEPTH];
	uint32_t count;
};

static int compare_paths(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct path, count));
}

/* Check the red-black tree below @link, and return its black height, which is at least 1. */
static int check_links(const struct cct *cct, uint32_t link, uint64_t from, uint64_t to, uint32_t parent, size_t *nr)
{
	const struct raw_live_node *n;
	int left, right;

	if (!link)
		return 1;
	n = cct_node(cct, link >> 1);
	++*nr;
	assert_int_equal(n->parent, parent);
	assert_true(n->ip >= from && n->ip <= to);
	assert_false(n->right & 1);		/* left-leaning: a right link is never red */
	assert_false((link & 1) && (n->left & 1));
	left = check_links(cct, n->left, from, n->ip, parent, nr);
	right = check_links(cct, n->right, n->ip, to, parent, nr);
	assert_int_equal(left, right);
	return left + !(link & 1);
}

/*
 * Walk the lists of children below @ref, and subtract the count of each node from the count of its
 * path in the model.
 */
static size_t check_nodes(const struct cct *cct, uint32_t ref, struct path *way, struct path *model, size_t nr_model)
{
	const struct raw_live_node *n = cct_node(cct, ref);
	size_t nr = 1, listed = 0, linked = 0;

	if (n->metrics[0]) {
		struct path *found = bsearch(way, model, nr_model, sizeof(*model), compare_paths);

		assert_non_null(found);
		assert_int_equal(found->count, n->metrics[0]);
		assert_int_equal(n->metrics[1], 3 * n->metrics[0]);
		found->count = 0;
	}
	check_links(cct, n->by_ip, 0, UINT64_MAX, ref, &linked);
	for (uint32_t c = n->children; c; c = cct_node(cct, c)->sibling, listed++) {
		way->ip[way->len++] = cct_node(cct, c)->ip;
		nr += check_nodes(cct, c, way, model, nr_model);
		way->ip[--way->len] = 0;
	}
	assert_int_equal(listed, linked);
	return nr;
}

static void test_paths_equal_model(void **state)
{
	struct arena_file file = { 0 };
	struct path *model = calloc(PATHS, sizeof(*model)), way = { 0 };
	uint64_t seed = 88172645463325252;
	size_t nr = 0, nodes;
	struct arena arena;
	struct cct cct;

	(void)state;
	assert_non_null(model);
	assert_int_equal(arena_init(&arena, &file, 1), 0);
	assert_int_equal(cct_init(&cct, &arena, 2), 0);
	for (size_t i = 0; i < PATHS; i++) {
		uint32_t node = cct.root;
		struct path *p = &model[i];

		p->len = random64(&seed) % (DEPTH + 1);
		p->count = 1;
		for (uint8_t d = 0; d < p->len; d++) {
			p->ip[d] = random64(&seed) % (d ? 5 : 256);
			node = cct_child(&cct, node, p->ip[d], 0, 0);
			assert_true(node);
		}
		cct_node(&cct, node)->metrics[0] += 1;
		cct_node(&cct, node)->metrics[1] += 3;
	}
	qsort(model, PATHS, sizeof(*model), compare_paths);
	for (size_t i = 1; i < PATHS; i++) {
		if (compare_paths(&model[i], &model[nr]))
			model[++nr] = model[i];
		else
			model[nr].count += model[i].count;
	}
	nr++;
	nodes = check_nodes(&cct, cct.root, &way, model, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(model[i].count, 0);
	/* An arena uses at most 64 bytes for each node and 8 bytes for each of the node's two
	 * metrics. */
	assert_true(arena.used <= nodes * (64 + 16) + RAW_LIVE_FIRST);
	assert_true(sizeof(struct raw_live_node) <= 64);
	arena_release(&arena);
	free(model);
}

/* The search tree stays balanced if addresses are added in ascending or descending order. */
static void test_sorted_addresses_keep_tree_balanced(void **state)
{
	struct arena_file file = { 0 };
	struct arena arena;
	struct cct cct;
	size_t linked = 0;

	(void)state;
	assert_int_equal(arena_init(&arena, &file, 1), 0);
	assert_int_equal(cct_init(&cct, &arena, 0), 0);
	for (uint64_t i = 0; i < 100000; i++)
		assert_true(cct_child(&cct, cct.root, 1000000 + i, i, 0));
	for (uint64_t i = 0; i < 100000; i++)
		assert_true(cct_child(&cct, cct.root, 1000000 - 1 - i, 0, 0));
	assert_true(check_links(&cct, cct_node(&cct, cct.root)->by_ip, 0, UINT64_MAX, cct.root, &linked) < 20);
	assert_int_equal(linked, 200000);
	/*
	 * A frame that a signal interrupted, and a frame that made a call at the same address, have
	 * different nodes.
	 */
	assert_int_equal(cct_child(&cct, cct.root, 1000000, 0, 0), cct_child(&cct, cct.root, 1000000, 5, 0));
	assert_true(cct_child(&cct, cct.root, 1000000, 0, RAW_LIVE_INTERRUPTED) !=
		    cct_child(&cct, cct.root, 1000000, 0, 0));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_objects_are_zero_and_disjoint),
		test_in_dir(test_arena_does_not_grow_on_full_disk),
		cmocka_unit_test(test_paths_equal_model),
		cmocka_unit_test(test_sorted_addresses_keep_tree_balanced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
