// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_stream_paths.c -- tests decoding of call paths in the module's stream; the result is
 * compared as text. */
#include "config.h"
#include "tests/unit/stream.h"

#include "daemon/source/stream_paths.h"
#include "module/uapi/unwind.h"

#define HEAD	E, OPROFILE_CPU_SWITCH, 3, E, OPROFILE_CTX_SWITCH, 8, 0xa, E, OPROFILE_CTX_TGID, 7
#define IMAGE(n, cookie, start, end, kind)	E, OPROFILE_PATH_IMAGE, n, cookie, start, end, kind, 7
#define NODE(n, parent, image, how, offset)	E, OPROFILE_PATH_NODE, n, parent, image, how, offset
#define PATH(user, kernel)	E, OPROFILE_PATH, user, kernel
#define ANEW	E, OPROFILE_PATHS_ANEW
#define WANTED(c)	E, OPROFILE_TABLE_WANTED, c
#define FP	OPROFILE_UW_HOW_FP
#define KERN	OPROFILE_UW_HOW_KERNEL
#define END(name)	(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_##name)

/*
 * Records of a known path: _start calls main at offset 5, and main calls a library at 0x10, where
 * 0x20 was sampled.
 */
#define KNOWN	IMAGE(1, 0xa, 0, 0, 0), IMAGE(2, 0xb, 0, 0, 0), NODE(1, 0, 1, 0, 5), NODE(2, 1, 1, 0, 0x10), NODE(3, 2, 2, FP, 0x20)

static void note_place(struct recorder *r, enum opd_domain domain, const struct opd_image *image,
		       const struct opd_anon *anon, uint64_t offset)
{
	append(r, "%s:%lx", domain == OPD_KERNEL ? "k" : domain == OPD_USER_FILE ? image->path :
	       domain == OPD_USER_ANON ? anon->label : "guest", (long)offset);
}

static void record_samples(struct opd_sink *sink, const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	struct recorder *r = (struct recorder *)sink;
	const struct opd_path *p = ctx->path;

	assert_true(!p || nr == 1);
	for (size_t i = 0; i < nr; i++) {
		if (!p)
			append(r, "without ");
		else if (p->end != OPROFILE_UW_WHOLE)
			append(r, "[%u] ", p->end);
		for (size_t j = 0; p && j < p->nr; j++) {
			const struct opd_frame *f = &p->frames[j];

			append(r, "%s", f->how == OPROFILE_UW_HOW_FP ? "~" : "");
			note_place(r, f->domain, f->image, &f->anon, f->offset);
			append(r, " ");
		}
		note_place(r, ctx->domain, ctx->image, &ctx->anon, samples[i].offset);
		append(r, " %u\n", samples[i].count);
		r->stored += samples[i].count;
	}
}

static void record_lost(struct opd_sink *sink, const char *name, uint64_t nr)
{
	append((struct recorder *)sink, "%s\n", name);
	((struct recorder *)sink)->lost += nr;
}

static void append_unread(struct opd_sink *sink, const char *name, uint64_t nr)
{
	(void)nr;
	append((struct recorder *)sink, "%s\n", name);
}

static void append_wanted(void *arg, uint64_t cookie)
{
	append(arg, "wanted %lx\n", (long)cookie);
}

/* Decode the words at once and word by word, and compare both results with @text. */
static void expect_words(const unsigned long *words, size_t nr, const char *text)
{
	struct opd_decoder *d = malloc(sizeof(*d));

	assert_non_null(d);
	for (int cut = 0; cut < 2; cut++) {
		struct recorder r = { .sink = {
			.samples = record_samples, .lost = record_lost, .unread = append_unread,
		} };

		opd_decoder_init(d, &r.sink, find_image, NULL);
		assert_int_equal(opd_stream_paths_create(&d->paths), 0);
		d->table_wanted = append_wanted;
		d->table_wanted_arg = &r;
		for (size_t i = 0; i < nr; i += cut ? 1 : nr)
			opd_decode(d, words + i, cut ? 1 : nr);
		opd_decode_end(d);
		opd_stream_paths_destroy(d->paths);
		assert_string_equal(r.text, text);
		assert_int_equal(d->taken, r.stored + r.lost);
	}
	free(d);
}

static void test_user_paths_are_decoded(void **state)
{
	(void)state;
	expect("app:5 app:10 lib:20 1\n"
	       "app:5 app:10 4\n"
	       "app:5 1\n"
	       "without app:10 1\n",
	       HEAD, USER, KNOWN, COOKIE(0xb), PATH(3, 0), 0x20, 0, COOKIE(0xa), PATH(2, 0), COUNT(4), 0x10, 0,
	       PATH(1, 0), 5, 0, 0x10, 0);
	expect("lib:20 ~lib:30 app:10 1\n",
	       HEAD, USER, COOKIE(0xa), IMAGE(2, 0xb, 0, 0, 0), NODE(7, 0, 2, 0, 0x20), NODE(100000, 7, 2, FP, 0x30),
	       IMAGE(1, 0xa, 0, 0, 0), NODE(3, 100000, 1, 0, 0x10), PATH(3, 0), 0x10, 0);
}

static void test_kernel_paths_are_decoded(void **state)
{
	(void)state;
	expect("app:5 app:10 ~lib:20 k:f0 k:f8 2\n"
	       "app:5 k:f0 1\n"
	       "k:f0 k:f8 1\n",
	       HEAD, KERNEL, KNOWN, NODE(10, 0, 0, KERN, 0xf0), NODE(11, 10, 0, KERN, 0xf8), PATH(3, 11), COUNT(2), 0xf8, 0,
	       PATH(1, 10), 0xf0, 0, PATH(0, 11), 0xf8, 0);
}

static void test_end_reasons_are_decoded(void **state)
{
	(void)state;
	expect("[2] app:10 1\n"
	       "[2] app:10 k:f0 1\n"
	       "[7] app:5 k:f0 1\n"
	       "[2] k:f0 1\n",
	       HEAD, USER, COOKIE(0xa), KNOWN, NODE(20, 0, 0, END(NO_TABLE), 0), NODE(21, 20, 1, 0, 0x10), PATH(21, 0), 0x10, 0,
	       KERNEL, NODE(22, 0, 0, KERN, 0xf0), PATH(21, 22), 0xf0, 0,
	       NODE(23, 0, 0, END(STACK), 0), NODE(24, 23, 0, KERN, 0xf0), PATH(1, 24), 0xf0, 0,
	       PATH(20, 22), 0xf0, 0);
	/* If the image of a frame's file is unknown, this frame and all outer frames are
	 * unknown. */
	expect("[13] app:10 1\n",
	       HEAD, USER, COOKIE(0xa), KNOWN, IMAGE(3, 0xdead, 0, 0, 0), NODE(30, 1, 3, 0, 1), NODE(31, 30, 1, 0, 0x10),
	       PATH(31, 0), 0x10, 0);
}

static void test_anonymous_memory_frames(void **state)
{
	(void)state;
	expect("app:5 anon:1234 1\n"
	       "app:5 ~anon:1234 [vdso]:7010 1\n",
	       HEAD, USER, KNOWN, ANON(0x1000, 0x2000, 0), IMAGE(3, 0, 0x1000, 0x2000, 0), NODE(30, 1, 3, FP, 0x1234), COOKIE(0),
	       PATH(30, 0), 0x1234, 0, ANON(0x7000, 0x8000, 3), IMAGE(4, 0, 0x7000, 0x8000, 3), NODE(31, 30, 4, 0, 0x7010),
	       PATH(31, 0), 0x7010, 0);
}

static void test_numbers_restart_after_reset(void **state)
{
	(void)state;
	expect("app:5 1\n"
	       "stream_bad_record\n"
	       "without app:5 1\n"
	       "lib:20 1\n",
	       HEAD, USER, COOKIE(0xa), KNOWN, PATH(1, 0), 5, 0, ANEW, PATH(1, 0), 5, 0,
	       IMAGE(1, 0xb, 0, 0, 0), NODE(1, 0, 1, 0, 0x20), COOKIE(0xb), PATH(1, 0), 0x20, 0);
}

/* Invalid records, and records that refer to them, are refused, but the sample is kept. */
static void test_invalid_path_records_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		unsigned long node[7];
	} nodes[] = {
		{ "an unknown caller", { NODE(9, 8, 1, 0, 0x10) } },
		{ "its own caller", { NODE(9, 9, 1, 0, 0x10) } },
		{ "no number", { NODE(0, 1, 1, 0, 0x10) } },
		{ "a number told before", { NODE(2, 1, 1, 0, 0x11) } },
		{ "a number beyond all", { NODE(1ul << 22, 1, 1, 0, 0x10) } },
		{ "a number far beyond", { NODE(1ul << 62, 1, 1, 0, 0x10) } },
		{ "an unknown image", { NODE(9, 1, 7, 0, 0x10) } },
		{ "an image beyond all", { NODE(9, 1, 1ul << 40, 0, 0x10) } },
		{ "the kernel's in a file", { NODE(9, 1, 1, KERN, 0x10) } },
		{ "the kernel's called by the program", { NODE(9, 1, 0, KERN, 0x10) } },
		{ "of no image", { NODE(9, 1, 0, 0, 0x10) } },
		{ "found in no known way", { NODE(9, 1, 1, 3, 0x10) } },
		{ "no reason", { NODE(9, 0, 0, END(WHOLE), 0) } },
		{ "an unknown reason", { NODE(9, 0, 0, END(NR_ENDS), 0) } },
		{ "a reason with a caller", { NODE(9, 1, 0, END(STACK), 0) } },
		{ "a reason in an image", { NODE(9, 0, 1, END(STACK), 0) } },
		{ "outside its mapping", { NODE(9, 1, 3, 0, 0x2000) } },
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		const unsigned long *n = nodes[i].node;

		expect("stream_bad_record\nstream_bad_record\nwithout app:10 1\napp:5 1\n",
		       HEAD, USER, COOKIE(0xa), KNOWN, IMAGE(3, 0, 0x1000, 0x2000, 0),
		       n[0], n[1], n[2], n[3], n[4], n[5], n[6], PATH(9, 0), 0x10, 0, PATH(1, 0), 5, 0);
	}
	expect("stream_bad_record\nstream_bad_record\nstream_bad_record\nstream_bad_record\n", HEAD, KNOWN,
	       IMAGE(0, 0xa, 0, 0, 0), IMAGE(1, 0xa, 0, 0, 0), IMAGE(1ul << 16, 0xa, 0, 0, 0), IMAGE(9, 0, 2, 2, 0));
}

/* A path is used only if its innermost node matches the sample's address; otherwise the path
 * belongs to another sample. */
static void test_other_samples_paths(void **state)
{
	(void)state;
#define REFUSED(where, ...) expect("stream_bad_record\nwithout " where " 1\n", HEAD, KNOWN, NODE(10, 0, 0, KERN, 0xf0), \
				   NODE(11, 0, 0, END(STACK), 0), IMAGE(3, 0, 0x1000, 0x2000, 0), NODE(12, 0, 3, 0, 0x1234), \
				   __VA_ARGS__)
	REFUSED("app:11", USER, COOKIE(0xa), PATH(2, 0), 0x11, 0);
	REFUSED("lib:10", USER, COOKIE(0xb), PATH(2, 0), 0x10, 0);
	REFUSED("app:10", USER, COOKIE(0xa), PATH(2, 10), 0x10, 0);
	REFUSED("app:10", USER, COOKIE(0xa), PATH(0, 0), 0x10, 0);
	REFUSED("app:10", USER, COOKIE(0xa), PATH(11, 0), 0x10, 0);
	REFUSED("app:f0", USER, COOKIE(0xa), PATH(10, 0), 0xf0, 0);
	REFUSED("app:10", USER, COOKIE(0xa), PATH(2, 99), 0x10, 0);
	REFUSED("app:10", USER, COOKIE(0xa), PATH(1ul << 40, 0), 0x10, 0);
	REFUSED("anon:1234", USER, COOKIE(0), ANON(0x1200, 0x2000, 0), PATH(12, 0), 0x1234, 0);
	REFUSED("k:f0", KERNEL, PATH(10, 10), 0xf0, 0);
	REFUSED("k:f1", KERNEL, PATH(2, 10), 0xf1, 0);
	REFUSED("k:f0", KERNEL, PATH(2, 0), 0xf0, 0);
	REFUSED("k:10", KERNEL, PATH(0, 2), 0x10, 0);
	REFUSED("guest:0", E, OPROFILE_GUEST_ENTER, PATH(1, 0), 0, 0);
	/* The path belongs to a sample that did not follow the path, or that was lost. */
	expect("stream_bad_record\nwithout app:5 1\nlost_torn_record\nwithout app:5 1\nstream_bad_record\n",
	       HEAD, USER, KNOWN, PATH(1, 0), COOKIE(0xa), 5, 0, PATH(1, 0), 1ul << 63, 0, 5, 0, PATH(1, 0));
}

static void test_table_requests_are_decoded(void **state)
{
	(void)state;
	expect("wanted a\nwanted 77\n", WANTED(0xa), WANTED(0x77));
}

static const struct opd_image *require_process(void *arg, uint64_t cookie, pid_t tgid)
{
	unsigned int *seen = arg;

	assert_int_equal(tgid, 7);
	*seen |= cookie == 0xa ? 1 : 2;
	return find_image(NULL, cookie, tgid);
}

/* The stream defines images before the record of the sample's process. The files are looked up with
 * this process, which has mapped them, and not before. */
static void test_files_are_looked_up_with_the_process(void **state)
{
	const unsigned long words[] = { E, OPROFILE_CPU_SWITCH, 3, KNOWN,
		E, OPROFILE_CTX_SWITCH, 8, 0xa, E, OPROFILE_CTX_TGID, 7, USER, COOKIE(0xb), PATH(3, 0), 0x20, 0 };
	struct recorder r = { .sink = { .samples = record_samples, .unread = append_unread } };
	struct opd_decoder *d = malloc(sizeof(*d));
	unsigned int seen = 0;

	(void)state;
	assert_non_null(d);
	opd_decoder_init(d, &r.sink, require_process, &seen);
	assert_int_equal(opd_stream_paths_create(&d->paths), 0);
	opd_decode(d, words, sizeof(words) / sizeof(words[0]));
	opd_stream_paths_destroy(d->paths);
	assert_string_equal(r.text, "app:5 app:10 lib:20 1\n");
	assert_int_equal(seen, 3);
	free(d);
}

/* A path is not deeper than the module's limit, even if the stream contains a deeper path. */
static void test_depth_is_limited(void **state)
{
	struct opd_context ctx = { .domain = OPD_USER_FILE, .image = &app };
	struct opd_path_leaf leaf = { .cookie = 0xa };
	const unsigned long image[] = { 1, 0xa, 0, 0, 0, 7 };
	struct opd_stream_paths *p;
	unsigned long deepest = 0;

	(void)state;
	assert_int_equal(opd_stream_paths_create(&p), 0);
	assert_int_equal(opd_stream_paths_image(p, image), 0);
	for (unsigned long n = 1; n < 5000; n++) {
		const unsigned long node[] = { n, n - 1, 1, 0, n };

		if (!opd_stream_paths_node(p, node))
			deepest = n;
	}
	assert_int_equal(deepest, 1200);
	for (unsigned long n = 1; n <= deepest; n++) {
		const struct opd_path *path;

		leaf.offset = leaf.user = n;
		path = opd_stream_paths_find(p, &ctx, &leaf, find_image, NULL);
		assert_non_null(path);
		assert_int_equal(path->nr, n - 1);
		assert_int_equal(path->end, OPROFILE_UW_WHOLE);
		for (size_t i = 0; i < path->nr; i++)
			assert_int_equal(path->frames[i].offset, i + 1);
	}
	opd_stream_paths_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user_paths_are_decoded),
		cmocka_unit_test(test_kernel_paths_are_decoded),
		cmocka_unit_test(test_end_reasons_are_decoded),
		cmocka_unit_test(test_anonymous_memory_frames),
		cmocka_unit_test(test_numbers_restart_after_reset),
		cmocka_unit_test(test_invalid_path_records_are_refused),
		cmocka_unit_test(test_other_samples_paths),
		cmocka_unit_test(test_table_requests_are_decoded),
		cmocka_unit_test(test_files_are_looked_up_with_the_process),
		cmocka_unit_test(test_depth_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
