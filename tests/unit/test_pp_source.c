// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_source.c -- tests profiles that programs write of themselves (.csp, .csp.live, .pct),
 * complete and damaged. If a profile can be opened, the sum of its samples by address equals the
 * sum by path. No file causes a crash, a hang, or the use of more memory than the file's size.
 * OP_MUTATIONS sets the number of damaged files, OP_SEED the seed of the random numbers.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/mman.h>

#include "libop/raw/csp.h"
#include "libop/raw/live.h"
#include "libop/raw/pct.h"
#include "tests/unit/source_walk.h"

#define MAX_FILE	(3 * RAW_PCT_ALIGN)

struct file {
	const char *name;
	unsigned char bytes[MAX_FILE];
	size_t len;
	uint64_t samples;	/* number of samples of the first class, if the file is complete */
};

static int to_file(void *arg, const void *buf, size_t len)
{
	struct file *f = arg;

	assert_true(f->len + len <= sizeof(f->bytes));
	memcpy(f->bytes + f->len, buf, len);
	f->len += len;
	return 0;
}

/*
 * Write a .csp file of two epochs with two trees each. Each tree has ten paths of two frames below
 * a common frame. There are two metrics.
 */
static void make_csp_with(struct file *f, const char *second_metric)
{
	static const uint64_t none[2];
	struct raw_csp_out out;

	*f = (struct file){ .name = "csp", .samples = 40 };
	raw_csp_begin(&out, to_file, f);
	raw_csp_header(&out, "01.00");
	raw_csp_data(&out, "/bin/program", 2);
	raw_csp_metric(&out, "TIMER", RAW_CSP_ASYNC, 1000000);
	raw_csp_metric(&out, second_metric, 0, 1);
	raw_csp_epochs(&out, 2);
	for (int e = 0; e < 2; e++) {
		raw_csp_epoch(&out, 2);
		raw_csp_module(&out, "/bin/program", 12, 0x1000, 0x401000);
		raw_csp_module(&out, e ? "/lib/a.so" : "/lib/b.so", 9, 0, 0x7f0000000000);
	}
	raw_csp_trees(&out, 2, 0);
	for (uint32_t t = 0; t < 2; t++) {
		raw_csp_tree(&out, 22, t, false);
		raw_csp_node(&out, 0, 0, 0, 0, none, 2);
		raw_csp_node(&out, 1, 0, 0x401234, 16, none, 2);
		for (uint64_t i = 2; i < 22; i += 2) {
			raw_csp_node(&out, i, 1, 0x7f0000000100 + i, 16, (uint64_t[2]){ i % 4 ? 0 : 2, i }, 2);
			raw_csp_node(&out, i + 1, i, 0x401300 + i, 16, (uint64_t[2]){ i % 4 ? 2 : 0, 0 }, 2);
		}
	}
	raw_csp_trailer(&out);
	raw_csp_item(&out, RAW_CSP_COMMAND, 10);
	raw_csp_bytes(&out, "program\0a", 10);
	raw_csp_item(&out, RAW_CSP_BUILD_ID, 28);
	raw_csp_u32(&out, 0);
	raw_csp_u32(&out, 1);
	raw_csp_bytes(&out, "12345678901234567890", 20);
	raw_csp_item(&out, RAW_CSP_COUNT, 13);
	raw_csp_u64(&out, 40);
	raw_csp_bytes(&out, "taken", 5);
	raw_csp_item(&out, RAW_CSP_COUNT, 16);
	raw_csp_u64(&out, 40);
	raw_csp_bytes(&out, "recorded", 8);
	for (enum raw_csp_item kind = RAW_CSP_INTERRUPTED; kind <= RAW_CSP_SHORT; kind++) {
		raw_csp_item(&out, kind, 16);
		raw_csp_u32(&out, 1);
		raw_csp_u32(&out, 0);
		raw_csp_u64(&out, kind == RAW_CSP_SHORT ? 1 : 4);
	}
	raw_csp_item(&out, RAW_CSP_END, 0);
	assert_int_equal(raw_csp_finish(&out), 0);
}

static void make_csp(struct file *f)
{
	make_csp_with(f, "bytes/allocated");
}

static void *object(struct file *f, uint32_t arena, uint32_t ref)
{
	return f->bytes + arena * RAW_LIVE_FIRST + ref * 8;
}

/*
 * Write a .csp.live file: one epoch, and a thread with @nr_trees trees that share the same nodes,
 * 100 below the root.
 */
static void make_live(struct file *f, uint32_t nr_trees)
{
	const uint32_t node_size = (sizeof(struct raw_live_node) + 8) / 8, root = 100, epoch = 2000, list = 2004, module = 2010;
	struct raw_live_epoch *e;
	struct raw_live_thread *thread;
	struct raw_live_run *run;
	struct raw_live_module *m;

	*f = (struct file){ .name = "csp.live", .len = 2 * RAW_LIVE_FIRST, .samples = 100 };
	for (uint32_t i = 0; i < 2; i++)
		*(struct raw_live_chunk *)object(f, i, 0) = (struct raw_live_chunk){
			RAW_LIVE_MAGIC, i, 0, RAW_LIVE_FIRST, 0,
		};
	run = object(f, 0, RAW_LIVE_TOP);
	run->nr_metrics = run->nr_epochs = 1;
	strcpy(run->metrics[0].event, "TIMER");
	run->metrics[0].flags = RAW_CSP_ASYNC;
	strcpy(run->program, "/bin/program");
	run->epochs = epoch;
	e = object(f, 0, epoch);
	e->modules = list;
	e->nr_modules = 1;
	*(uint32_t *)object(f, 0, list) = module;
	m = object(f, 0, module);
	*m = (struct raw_live_module){ .mapped = 0x400000, .size = 0x1000, .path_len = 5 };
	memcpy(m->path, "/bin/", 5);
	thread = object(f, 1, RAW_LIVE_TOP);
	thread->samples.taken = thread->samples.complete = 100;
	for (uint32_t i = 0; i < nr_trees; i++) {
		uint32_t ref = 1000 + sizeof(struct raw_live_tree) / 8 * i;

		*(struct raw_live_tree *)object(f, 1, ref) = (struct raw_live_tree){ .older = thread->trees, .root = root, .columns = 1 };
		thread->trees = ref;
	}
	/* In the file, trees are stored from offset 1,000 on, and nodes from offset 100 on. */
	for (uint32_t i = 0; i <= 100; i++) {
		uint32_t at = root + i * node_size;
		struct raw_live_node *n = object(f, 1, at < 1000 ? at : at + 4000);

		*n = (struct raw_live_node){ .ip = i ? 0x400100 + i : 0, .parent = root };
		n->metrics[0] = i > 0;
		if (i < 100) {
			uint32_t next = at + node_size;

			next = next < 1000 ? next : next + 4000;
			*(i ? &n->sibling : &n->children) = next;
		}
	}
}

static void make_pct(struct file *f)
{
	struct raw_pct_region *r = (void *)(f->bytes + RAW_PCT_ALIGN);
	struct raw_pct_header *h = (void *)f->bytes;

	*f = (struct file){ .name = "pct", .len = 2 * RAW_PCT_ALIGN, .samples = 30 };
	h->magic = RAW_PCT_MAGIC;
	h->version = RAW_PCT_VERSION;
	h->first = RAW_PCT_ALIGN;
	h->taken = 30;
	h->runs = 1;
	h->word = 8;
	h->quantum_ns = 1000000;
	strcpy(h->event, "CPU_TIME");
	strcpy(h->program, "/bin/program");
	*r = (struct raw_pct_region){
		.magic = RAW_PCT_REGION_MAGIC, .flags = RAW_PCT_MAIN, .start = 0x400000, .end = 0x401000, .bin = 4,
		.width = 1, .nr_bins = 1024, .counters = RAW_PCT_ALIGN + sizeof(*r) + 8, .vaddr = 0x1000,
	};
	strcpy(r->path, "/bin/program");
	for (int i = 0; i < 10; i++)
		f->bytes[r->counters + 7 * i] = 3;
}

static int open_bytes(struct pp_source **ret, const unsigned char *bytes, size_t len, struct op_reason *error)
{
	int fd = memfd_create("source", 0), err;
	char path[40];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = pp_source_open(ret, path, error);
	close(fd);
	return err;
}

static void make(struct file *f, int kind)
{
	if (kind == 0)
		make_csp(f);
	else if (kind == 1)
		make_live(f, 1);
	else
		make_pct(f);
}

static void test_complete_files_are_read(void **state)
{
	static struct file f;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct op_reason error = { "" };
		struct pp_source *source;

		make(&f, kind);
		assert_int_equal(open_bytes(&source, f.bytes, f.len, &error), 0);
		assert_string_equal(source->broken.text, "");
		assert_true(walk_source(source));
		assert_int_equal(walk_addresses(source, 0), f.samples);
		assert_string_equal(source->program.path, "/bin/program");
		pp_source_close(source);
	}
}

/* Leaks are reported only if both allocations and frees were counted. */
static void test_leaks_need_allocations_and_frees(void **state)
{
	static const char *const metrics[] = { "bytes freed", "bytes allocated" };
	static struct file f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct op_reason error = { "" };
		struct pp_source *source;

		make_csp_with(&f, metrics[i]);
		assert_int_equal(open_bytes(&source, f.bytes, f.len, &error), 0);
		assert_int_equal(source->nr_classes, 2);
		pp_source_close(source);
	}
}

/*
 * A file that is truncated at any byte is refused, or its remaining part is shown with a message
 * that contains the offset of the end.
 */
static void test_truncated_files_are_refused_or_marked(void **state)
{
	static struct file f;

	(void)state;
	make_csp(&f);
	for (size_t len = 0; len < f.len; len++) {
		struct op_reason error = { "" };
		struct pp_source *source;
		char place[40];

		snprintf(place, sizeof(place), "offset %zu", len);
		if (open_bytes(&source, f.bytes, len, &error)) {
			assert_true(error.text[0]);
			continue;
		}
		/* A file of another writer has no trailer, so a missing trailer is not reported as
		 * an error. */
		assert_true(!source->broken.text[0] || strstr(source->broken.text, place));
		assert_true(walk_source(source));
		assert_true(walk_addresses(source, 0) <= f.samples);
		pp_source_close(source);
	}
}

/*
 * If a thousand trees share the nodes of one tree, memory does not exceed the size limit of a small
 * file.
 */
static void test_shared_nodes_are_limited(void **state)
{
	static struct file f;
	struct op_reason error = { "" };
	struct pp_source *source;

	(void)state;
	make_live(&f, 1000);
	assert_int_equal(open_bytes(&source, f.bytes, f.len, &error), 0);
	assert_non_null(strstr(source->broken.text, "damaged trees"));
	assert_true(walk_source(source));
	assert_in_range(walk_addresses(source, 0), 100, RAW_LIVE_FIRST / sizeof(struct raw_live_node));
	pp_source_close(source);
}

/* If two regions share their counters, only the regions before the second one are shown. */
static void test_shared_counters_end_the_profile(void **state)
{
	static struct file f;
	struct raw_pct_region *first = (void *)(f.bytes + RAW_PCT_ALIGN), *second = (void *)(f.bytes + 2 * RAW_PCT_ALIGN);
	struct op_reason error = { "" };
	struct pp_source *source;

	(void)state;
	make_pct(&f);
	first->next = 2 * RAW_PCT_ALIGN;
	*second = *first;
	second->next = 0;
	f.len = 3 * RAW_PCT_ALIGN;
	assert_int_equal(open_bytes(&source, f.bytes, f.len, &error), 0);
	assert_non_null(strstr(source->broken.text, "offset 131072"));
	assert_int_equal(walk_addresses(source, 0), f.samples);
	pp_source_close(source);
}

/* If the sum of counts exceeds 64 bits, only the counts before the overflow are shown. */
static void test_overflowing_counts_end_the_profile(void **state)
{
	static struct file f;
	uint64_t huge = UINT64_MAX - 5, *count;
	struct op_reason error = { "" };
	struct pp_source *source;

	(void)state;
	make_csp(&f);
	count = memmem(f.bytes, f.len, (uint64_t[2]){ 2, 8 }, 16);
	assert_non_null(count);
	memcpy(count, &huge, 8);
	assert_int_equal(open_bytes(&source, f.bytes, f.len, &error), 0);
	assert_non_null(strstr(source->broken.text, "impossible counts"));
	assert_true(walk_source(source));
	pp_source_close(source);
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random >> 33;
}

/*
 * Damage @bytes: set random bytes, write special numbers, or copy a part of the file to another
 * offset.
 */
static void damage(unsigned char *bytes, size_t len, uint64_t *random)
{
	static const uint64_t special[] = { 0, 1, 7, 8, 255, 65536, UINT32_MAX, UINT64_MAX, 1ULL << 63, UINT64_MAX - 1 };
	size_t size = 1 + next(random) % 8, at = next(random) % (len - 8), from = next(random) % (len - 8);

	switch (next(random) % 3) {
	case 0:
		bytes[at] ^= 1u << next(random) % 8;
		break;
	case 1:
		memcpy(bytes + at, &special[next(random) % 10], size);
		break;
	default:
		memmove(bytes + at, bytes + from, size);
	}
}

static void test_damaged_profiles_are_survived(void **state)
{
	const char *rounds = getenv("OP_MUTATIONS"), *seed = getenv("OP_SEED");
	size_t nr = rounds ? strtoul(rounds, NULL, 0) : 6000, opened = 0;
	uint64_t random = seed ? strtoull(seed, NULL, 0) : 20261123;
	static struct file files[3];
	static unsigned char damaged[MAX_FILE];

	(void)state;
	for (int kind = 0; kind < 3; kind++)
		make(&files[kind], kind);
	for (size_t i = 0; i < nr; i++) {
		const struct file *f = &files[i % 3];
		struct op_reason error = { "" };
		struct pp_source *source;
		/*
		 * In a large file, damage mostly the first 8 kB, because the rest contains almost
		 * no data.
		 */
		size_t len = f->len, near = i % 3 && next(&random) % 4 ? 8192 : len;

		memcpy(damaged, f->bytes, len);
		for (uint64_t k = next(&random) % 4; k < 4; k++)
			damage(damaged + (i % 3 == 2 && k % 2 ? RAW_PCT_ALIGN : i % 3 == 1 && k % 2 ? RAW_LIVE_FIRST : 0),
			       near < len / 2 ? near : len / 2, &random);
		if (next(&random) % 8 == 0)
			len = next(&random) % len;
		if (open_bytes(&source, damaged, len, &error)) {
			assert_true(error.text[0]);
			continue;
		}
		if (!walk_source(source))
			fail_msg("turn %zu of %s: a sample is not once by address and once by path", i, f->name);
		opened++;
		pp_source_close(source);
	}
	assert_true(opened > nr / 10 && opened < nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_files_are_read),
		cmocka_unit_test(test_leaks_need_allocations_and_frees),
		cmocka_unit_test(test_truncated_files_are_refused_or_marked),
		cmocka_unit_test(test_shared_nodes_are_limited),
		cmocka_unit_test(test_shared_counters_end_the_profile),
		cmocka_unit_test(test_overflowing_counts_end_the_profile),
		cmocka_unit_test(test_damaged_profiles_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
