// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_live.c -- tests the conversion of .csp.live files, which a program writes while it
 * runs: complete, truncated and damaged files are converted as far as possible.
 */
#include "config.h"
#include "libop/raw/live_to_csp.h"

#include <errno.h>
#include <sys/stat.h>

#include "probe/core/cct.h"
#include "tests/unit/check.h"

struct sink {
	unsigned char *bytes;
	size_t len, room;
};

static int to_sink(void *arg, const void *buf, size_t len)
{
	struct sink *s = arg;

	if (s->len + len > s->room) {
		s->room = 2 * (s->len + len);
		s->bytes = realloc(s->bytes, s->room);
		assert_non_null(s->bytes);
	}
	memcpy(s->bytes + s->len, buf, len);
	s->len += len;
	return 0;
}

static uint32_t put_module(struct arena *arena, const char *path, uint64_t mapped)
{
	uint32_t ref = arena_alloc(arena, sizeof(struct raw_live_module) + strlen(path));
	struct raw_live_module *m = arena_at(arena, ref);

	m->mapped = mapped;
	m->size = 0x1000;
	m->build_id_len = 3;
	memcpy(m->build_id, "abc", 3);
	m->path_len = strlen(path);
	memcpy(m->path, path, m->path_len);
	return ref;
}

static void put_epoch(struct arena *arena, struct raw_live_run *run, const char *late)
{
	uint32_t ref = arena_alloc(arena, sizeof(struct raw_live_epoch)), *modules;
	struct raw_live_epoch *e = arena_at(arena, ref);

	e->number = run->nr_epochs++;
	e->older = run->epochs;
	e->modules = arena_alloc(arena, 2 * sizeof(*modules));
	e->nr_modules = 2;
	modules = arena_at(arena, e->modules);
	modules[0] = put_module(arena, "/bin/main", 0x400000);
	modules[1] = put_module(arena, late, 0x500000);
	run->epochs = ref;
}

/* number of nodes of a tree without its root, enough for several chunks of the file */
#define NODES	3000

static void put_tree(struct arena *arena, struct raw_live_thread *thread, uint32_t epoch)
{
	uint32_t ref = arena_alloc(arena, sizeof(struct raw_live_tree)), node;
	struct raw_live_tree *t = arena_at(arena, ref);
	struct cct cct;

	assert_int_equal(cct_init(&cct, arena, 1), 0);
	t->epoch = epoch;
	t->older = thread->trees;
	t->root = cct.root;
	t->columns = 1;
	thread->trees = ref;
	node = cct.root;
	for (uint32_t i = 0; i < NODES; i++) {
		if (i % 10 == 0)
			node = cct.root;
		node = cct_child(&cct, node, 0x400000 + i, i, i % 10 == 7 ? RAW_LIVE_INTERRUPTED : 0);
		cct_node(&cct, node)->metrics[0] = 1;
		thread->samples.taken++;
	}
}

/*
 * Return the bytes of a file with two epochs and two threads. The second thread has a tree for each
 * epoch.
 */
static unsigned char *make_file(const char *dir, size_t *size)
{
	struct fd fd;
	struct arena_file file = { .fd = &fd };
	struct arena process, threads[2];
	struct raw_live_run *run;
	char path[200];
	unsigned char *bytes;

	snprintf(path, sizeof(path), "%s/live", dir);
	assert_int_equal(fd_create(&fd, path, O_RDWR), 0);
	assert_int_equal(arena_init(&process, &file, 0), 0);
	run = arena_at(&process, arena_alloc(&process, sizeof(*run)));
	run->nr_metrics = 1;
	strcpy(run->metrics[0].event, "TIMER");
	run->metrics[0].flags = RAW_CSP_ASYNC;
	run->metrics[0].period = 1000000;
	strcpy(run->program, "/bin/main");
	run->samples.lost[RAW_LIVE_NO_STATE] = run->samples.taken = 7;
	put_epoch(&process, run, "/lib/a.so");
	put_epoch(&process, run, "/lib/b.so");
	for (int i = 0; i < 2; i++) {
		struct raw_live_thread *t;

		assert_int_equal(arena_init(&threads[i], &file, i + 1), 0);
		t = arena_at(&threads[i], arena_alloc(&threads[i], sizeof(*t)));
		put_tree(&threads[i], t, 0);
		if (i)
			put_tree(&threads[i], t, 1);
		t->samples.lost[RAW_LIVE_UNSAFE] = 2;
		t->samples.taken += 2;
	}
	/* Close the arenas without marking the file as complete, as after kill -9. */
	arena_release(&process);
	arena_release(&threads[0]);
	arena_release(&threads[1]);
	*size = file.end;
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(pread(fd.fd, bytes, *size, 0), *size);
	fd_close(&fd);
	unlink(path);
	return bytes;
}

/*
 * Convert a file's bytes by raw_live_to_csp(). Set *@err to its result or an earlier error.
 * @has_ended: the program has ended.
 */
static struct sink convert_file(unsigned char *bytes, size_t size, bool has_ended, int *err, struct raw_live_sums *sums)
{
	struct sink sink = { .bytes = malloc(1), .room = 1 };
	struct raw_csp_out out;
	struct raw_live live;
	int nr = raw_live_count(bytes, size);

	*err = nr;
	if (nr < 0)
		return sink;
	live = (struct raw_live){ .nr_arenas = nr, .has_ended = has_ended };
	live.arenas = calloc(nr, sizeof(*live.arenas));
	assert_non_null(live.arenas);
	*err = raw_live_open(&live, bytes, size);
	if (!*err) {
		raw_csp_begin(&out, to_sink, &sink);
		*err = raw_live_to_csp(&live, &out, 0, sums);
	}
	free(live.arenas);
	return sink;
}

static struct sink convert(unsigned char *bytes, size_t size, int *err, struct raw_live_sums *sums)
{
	return convert_file(bytes, size, false, err, sums);
}

/*
 * Parse the .csp file @s. Return its length without the trailer, and set *@samples to the sum of
 * its counts.
 */
static size_t check_csp(const struct sink *s, uint32_t want_trees, uint64_t *samples)
{
	size_t at = 24, tree;
	uint32_t nr, u32;
	uint64_t u64, nodes;

#define TAKE(to) do { assert_true(s->len - at >= sizeof(to)); memcpy(&(to), s->bytes + at, sizeof(to)); at += sizeof(to); } while (0)
	*samples = 0;
	assert_true(s->len > at);
	assert_memory_equal(s->bytes, "HPC_CSPROF01.00l\3\0\0\0\0\0\0\0", 24);
	at += 4;
	TAKE(u32);
	at += u32;
	TAKE(nr);
	assert_int_equal(nr, 1);
	at += 4;
	TAKE(u32);
	at += u32 + 24;
	TAKE(nr);
	for (uint32_t e = 0; e < nr; e++) {
		uint32_t modules;

		TAKE(modules);
		for (uint32_t i = 0; i < modules; i++) {
			TAKE(u32);
			at += u32 + 16;
			assert_true(at < s->len);
		}
	}
	TAKE(nr);
	assert_int_equal(nr, want_trees);
	TAKE(u64);
	for (tree = 0; tree < nr; tree++) {
		assert_true(s->len - at > 36);
		assert_memory_equal(s->bytes + at, "HPC_CSTREE01.00l\x08\0\0\0\x08\0\0\0", 24);
		at += 24;
		TAKE(nodes);
		TAKE(u32);
		for (uint64_t n = 0; n < nodes; n++) {
			TAKE(u64);
			assert_int_equal(u64, n);
			TAKE(u64);
			assert_true(n ? u64 < n : !u64);
			at += 16;
			TAKE(u64);
			*samples += u64;
		}
	}
	assert_memory_equal(s->bytes + at, "OPROBE\0\1", 8);
	return at;
}

static void test_complete_file_is_converted(void **state)
{
	struct raw_live_sums sums;
	size_t size;
	unsigned char *bytes = make_file(*state, &size);
	uint64_t samples;
	struct sink s;
	int err;

	s = convert(bytes, size, &err, &sums);
	assert_int_equal(err, 0);
	assert_int_equal(sums.trees, 3);
	assert_int_equal(sums.epochs, 2);
	assert_int_equal(sums.broken, 0);
	assert_int_equal(sums.nodes, 3 * (NODES + 1));
	assert_int_equal(sums.samples.recorded, 3 * NODES);
	assert_int_equal(sums.samples.taken, sums.samples.recorded + sums.samples.lost[RAW_LIVE_UNSAFE] + sums.samples.lost[RAW_LIVE_NO_STATE]);
	check_csp(&s, 3, &samples);
	assert_int_equal(samples, 3 * NODES);
	/* The newest epoch comes first, so the module of the second epoch precedes the module of
	 * the first epoch. */
	assert_true((char *)memmem(s.bytes, s.len, "b.so", 4) < (char *)memmem(s.bytes, s.len, "a.so", 4));
	free(s.bytes);
	free(bytes);
}

static uint64_t sum_samples(const struct raw_live_sums *sums)
{
	uint64_t nr = sums->samples.recorded + sums->cut_off;

	for (int i = 0; i < RAW_LIVE_NR_LOSSES; i++)
		nr += sums->samples.lost[i];
	return nr;
}

static void test_surplus_metrics_are_damage(void **state)
{
	size_t size;
	unsigned char *bytes = make_file(*state, &size);
	struct raw_live_thread *t = (void *)(bytes + RAW_LIVE_FIRST + RAW_LIVE_TOP * 8);
	struct raw_live_sums sums;
	struct raw_live_tree *tree;
	struct sink s;
	int err;

	while (((struct raw_live_chunk *)((unsigned char *)t - RAW_LIVE_TOP * 8))->arena != 1)
		t = (void *)((unsigned char *)t + RAW_LIVE_FIRST);
	tree = (void *)((unsigned char *)t + sizeof(*t));
	assert_int_equal(tree->columns, 1);
	for (int bit = 1; bit < 64; bit++) {
		tree->columns = 1 | 1ULL << bit;
		s = convert(bytes, size, &err, &sums);
		assert_int_equal(err, 0);
		assert_int_equal(sums.trees, 2);
		assert_int_equal(sums.broken, 1);
		free(s.bytes);
	}
	free(bytes);
}

/*
 * If a program is killed in the middle of a sample, after any write of the handler, the numbers in
 * its file are consistent.
 */
static void test_killed_program_leaves_consistent_file(void **state)
{
	size_t size;
	unsigned char *bytes = make_file(*state, &size);
	struct raw_live_thread *t = (void *)(bytes + RAW_LIVE_FIRST + RAW_LIVE_TOP * 8);
	struct raw_live_node *n;

	while (((struct raw_live_chunk *)((unsigned char *)t - RAW_LIVE_TOP * 8))->arena != 1)
		t = (void *)((unsigned char *)t + RAW_LIVE_FIRST);
	n = (void *)((unsigned char *)t + sizeof(*t) + sizeof(struct raw_live_tree));
	for (int i = 0; i < 3; i++) {
		struct raw_live_sums sums;
		uint64_t samples;
		struct sink s;
		int err;

		if (!i)
			t->samples.taken++;
		else if (i == 1)
			n->metrics[0]++;
		else
			/* damage the file with a value that no program writes */
			t->samples.taken -= 100;
		s = convert(bytes, size, &err, &sums);
		assert_int_equal(err, 0);
		check_csp(&s, 3, &samples);
		assert_int_equal(samples, 3 * NODES + !!i);
		assert_int_equal(sums.samples.recorded, samples);
		assert_int_equal(sums.cut_off, !i);
		assert_int_equal(sums.samples.taken, sum_samples(&sums));
		free(s.bytes);
	}
	free(bytes);
}

/*
 * While the program runs, a count that exceeds the number of taken samples may be a new sample.
 * After the program has ended, such a count is reported as damage.
 */
static void test_surplus_count_is_damage(void **state)
{
	size_t size;
	unsigned char *bytes = make_file(*state, &size);
	struct raw_live_thread *t = (void *)(bytes + RAW_LIVE_FIRST + RAW_LIVE_TOP * 8);
	struct raw_live_node *n = (void *)((unsigned char *)t + sizeof(*t) + sizeof(struct raw_live_tree));

	n->metrics[0] ^= 1ULL << 50;
	for (int ended = 0; ended < 2; ended++) {
		struct raw_live_sums sums;
		int err;
		struct sink s = convert_file(bytes, size, ended, &err, &sums);

		assert_int_equal(err, 0);
		assert_true(sums.surplus == 1ULL << 50);
		assert_true(sums.samples.recorded == (1ULL << 50) + 3 * NODES);
		assert_int_equal(sums.samples.taken < sums.samples.recorded, ended);
		free(s.bytes);
	}
	free(bytes);
}

/* If a file is truncated at any byte, its conversion contains only counts of the complete file. */
static void test_truncated_file_has_only_true_counts(void **state)
{
	size_t size;
	unsigned char *bytes = make_file(*state, &size), *some = malloc(size);

	assert_non_null(some);
	for (size_t len = 0; len < size; len += 4093) {
		struct raw_live_sums sums;
		uint64_t samples;
		struct sink s;
		int err;

		memcpy(some, bytes, len);
		s = convert(some, len, &err, &sums);
		if (len < RAW_LIVE_FIRST)
			assert_int_equal(err, -EUCLEAN);
		else
			assert_int_equal(err, 0);
		if (!err) {
			check_csp(&s, sums.trees, &samples);
			assert_true(samples <= 3 * NODES && samples % NODES == 0);
			assert_int_equal(sums.samples.recorded, samples);
			assert_int_equal(sums.samples.taken, sum_samples(&sums));
		}
		free(s.bytes);
	}
	free(some);
	free(bytes);
}

/* If an epoch is unreadable, its trees are lost, and the trees of other epochs are kept. */
static void test_unreadable_epoch_loses_only_its_trees(void **state)
{
	struct raw_live_sums sums;
	size_t size;
	unsigned char *bytes = make_file(*state, &size);
	struct raw_live_run *run = (void *)(bytes + RAW_LIVE_TOP * 8);
	uint64_t samples;
	struct sink s;
	int err;

	((struct raw_live_epoch *)(bytes + run->epochs * 8))->older = UINT32_MAX;
	s = convert(bytes, size, &err, &sums);
	assert_int_equal(err, 0);
	assert_int_equal(sums.epochs, 1);
	assert_int_equal(sums.trees, 1);
	assert_int_equal(sums.broken, 2);
	check_csp(&s, 1, &samples);
	assert_int_equal(sums.samples.recorded, samples);
	assert_int_equal(sums.cut_off, 3 * NODES - samples);
	assert_null(memmem(s.bytes, s.len, "a.so", 4));
	free(s.bytes);
	free(bytes);
}

/* Arbitrary bytes are converted to a readable file in limited time. */
static void test_random_bytes_are_survived(void **state)
{
	size_t size;
	unsigned char *bytes = make_file(*state, &size), *some = malloc(size);
	uint64_t seed = 12345;
	int whole = 0;

	assert_non_null(some);
	for (int turn = 0; turn < 1000; turn++) {
		struct raw_live_sums sums;
		uint64_t samples;
		struct sink s;
		int err;

		memcpy(some, bytes, size);
		for (int i = 0; i < 4; i++) {
			/*
			 * Damage the first chunks more often, because they contain most references.
			 */
			size_t at = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33;

			some[at % (i % 3 ? size : 200000)] = seed >> (seed >> 61);
		}
		s = convert(some, size, &err, &sums);
		assert_true(!err || err == -EUCLEAN);
		if (!err && memmem(s.bytes, s.len, "TIMER", 5)) {
			check_csp(&s, sums.trees, &samples);
			whole += !sums.broken;
		}
		free(s.bytes);
	}
	assert_in_range(whole, 10, 990);
	free(some);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_complete_file_is_converted),
		test_in_dir(test_surplus_metrics_are_damage),
		test_in_dir(test_killed_program_leaves_consistent_file),
		test_in_dir(test_surplus_count_is_damage),
		test_in_dir(test_truncated_file_has_only_true_counts),
		test_in_dir(test_unreadable_epoch_loses_only_its_trees),
		test_in_dir(test_random_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
