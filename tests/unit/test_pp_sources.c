// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_sources.c -- tests the conversion of addresses with inlined frames to source files with
 * lines: no sample is lost.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/annotate/sources.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A profile of one function of one binary, with five sampled addresses and two classes. */
struct fixture {
	struct pp_profile profile;
	struct pp_binary binaries[2];
	struct pp_code codes[3];
	struct pp_entry entries[3];
	struct pp_details details[2];
};

static struct pp_frame a_frames[] = { { .file = "/src/a.c", .line = 10 } };
static struct pp_frame inlined[] = { { .file = "/src/lib/../a.h", .line = 3 },
				     { .file = "/src/a.c", .line = 11 } };
static struct pp_frame line_0[] = { { .file = "/src/a.h", .line = 0 },
				    { .file = "/src/a.c", .line = 10 } };
static struct pp_frame nowhere[] = { { .file = NULL, .line = 5 }, { .file = "/src/a.c" } };
static struct pp_frames frames[] = {
	{ a_frames, 1 }, { inlined, 2 }, { line_0, 2 }, { nowhere, 2 }, { NULL, 0 },
};
static struct pp_frames other_frames[] = { { inlined, 1 } };
static uint64_t counts[][2] = { { 1, 100 }, { 2, 200 }, { 4, 400 }, { 8, 800 }, { 16, 1600 } };
static uint64_t other_counts[][2] = { { 32, 0 } };
static uint64_t sums[][2] = { { 31, 3100 }, { 32, 0 }, { 64, 5 } };

static void make_fixture(struct fixture *f)
{
	static struct pp_detail items[5], other_items[1];

	*f = (struct fixture){
		.codes = {
			{ .name = "first", .file = "/src/./a.c", .line = 9, .binary = 0 },
			{ .name = "other", .file = "/src/elsewhere.c", .line = 1, .binary = 1 },
			{ .name = "raw", .binary = 1, .kind = PP_CODE_RAW },
		},
		.entries = {
			{ .counts = sums[0], .code = 0, .details = 1 },
			{ .counts = sums[1], .code = 1, .details = 2 },
			{ .counts = sums[2], .code = 2 },
		},
		.details = { { items, frames, 5 }, { other_items, other_frames, 1 } },
	};
	for (int i = 0; i < 5; i++)
		items[i] = (struct pp_detail){ .vma = i, .counts = counts[i] };
	other_items[0] = (struct pp_detail){ .vma = 7, .counts = other_counts[0] };
	f->profile = (struct pp_profile){
		.nr_classes = 2,
		.binaries = f->binaries,
		.nr_binaries = NR(f->binaries),
		.codes = f->codes,
		.nr_codes = NR(f->codes),
		.entries = f->entries,
		.nr_entries = NR(f->entries),
		.details = f->details,
		.nr_details = NR(f->details),
	};
}

static void counts_are_summed_by_file_and_line(void **state)
{
	struct fixture f;
	struct pp_sources *s;
	const struct pp_source_file *file;

	(void)state;
	make_fixture(&f);
	assert_int_equal(pp_sources_make(&s, &f.profile, NULL), 0);
	assert_int_equal(s->nr_files, 2);
	/*
	 * The header is the first file, because it has the most samples of the first class. Both
	 * binaries contain code from the header.
	 */
	file = &s->files[0];
	assert_string_equal(file->path, "/src/a.h");
	assert_int_equal(file->nr_lines, 1);
	assert_int_equal(file->lines[0].line, 3);
	assert_int_equal(file->lines[0].counts[0], 34);
	assert_int_equal(file->lines[0].counts[1], 200);
	assert_int_equal(file->nr_symbols, 0);
	/* Samples in inlined code with line 0 (unknown) are counted for the caller's line. */
	file = &s->files[1];
	assert_string_equal(file->path, "/src/a.c");
	assert_int_equal(file->nr_lines, 1);
	assert_int_equal(file->lines[0].line, 10);
	assert_int_equal(file->lines[0].counts[0], 5);
	assert_int_equal(file->nr_symbols, 1);
	assert_int_equal(file->symbols[0].line, 9);
	assert_int_equal(file->symbols[0].counts[0], 31);
	/* Samples of addresses without a line are counted separately for each binary. */
	assert_int_equal(s->unlined[0][0], 24);
	assert_int_equal(s->unlined[1][0], 64);
	assert_int_equal(s->counts[0] + s->unlined[0][0] + s->unlined[1][0], 127);
	assert_int_equal(s->counts[1] + s->unlined[0][1] + s->unlined[1][1], 3105);
	assert_int_equal(s->total[0], 127);
	assert_int_equal(s->total[1], 3105);
	pp_sources_destroy(s);
}

static void samples_without_line_are_counted(void **state)
{
	struct fixture f;
	struct pp_sources *s;

	(void)state;
	make_fixture(&f);
	f.details[0].frames = f.details[1].frames = NULL;
	assert_int_equal(pp_sources_make(&s, &f.profile, NULL), 0);
	assert_int_equal(s->nr_files, 0);
	assert_int_equal(s->unlined[0][0] + s->unlined[1][0], 127);
	pp_sources_destroy(s);
	pp_sources_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_summed_by_file_and_line),
		cmocka_unit_test(samples_without_line_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
