// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_infer.c -- tests rules inferred for a file's code without unwind rows: reading
 * the code, caching of results, and limits. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "daemon/image/image.h"
#include "daemon/source/perf_infer.h"

#define SIZE	(256 << 10)
#define LEAF	0x20010		/* offset of a function that keeps no frame pointer */
#define BODY	0x20040		/* offset of a function that keeps a frame pointer */
#define SECOND	1000000000ull

static char path[] = "perf_infer.XXXXXX";
static bool is_supported;	/* whether the file system supports RWF_NOWAIT */
static unsigned int nr_opens;
static int open_error;

static int open_file(void *arg, const struct opd_image *image, pid_t tgid)
{
	(void)arg;
	assert_non_null(image);
	assert_int_equal(tgid, 7);
	nr_opens++;
	return open_error ? open_error : open(path, O_RDONLY | O_CLOEXEC);
}

/* Create a file that contains int3 instructions and two functions, and read the file once, so that
 * it is in memory. */
static int begin(void **state)
{
	/* sub 24,rsp; nop; nop; add 24,rsp; ret */
	static const unsigned char leaf[] = {0x48, 0x83, 0xec, 24, 0x90, 0x90, 0x48, 0x83, 0xc4, 24, 0xc3};
	/* push rbp; mov rsp,rbp; nop; nop */
	static const unsigned char body[] = {0x55, 0x48, 0x89, 0xe5, 0x90, 0x90};
	unsigned char *bytes = malloc(SIZE);
	struct iovec iov = {bytes, 1};
	int fd = mkstemp(path);

	(void)state;
	memset(bytes, 0xcc, SIZE);
	memcpy(bytes + LEAF, leaf, sizeof(leaf));
	memcpy(bytes + BODY, body, sizeof(body));
	/* Place the pc far after the instructions that set the frame pointer. */
	memset(bytes + BODY + sizeof(body), 0x90, 12000);
	assert_int_equal(write(fd, bytes, SIZE), SIZE);
	assert_int_equal(pread(fd, bytes, SIZE, 0), SIZE);
	is_supported = preadv2(fd, &iov, 1, 0, RWF_NOWAIT) == 1;
	free(bytes);
	return close(fd);
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

static struct opd_perf_infer_at lookup_at(const struct opd_image *image, uint64_t pc)
{
	return (struct opd_perf_infer_at){
		.image = image, .tgid = 7, .machine = OPROFILE_UW_X86_64, .pc = pc, .end = SIZE, .time = SECOND};
}

static void rules_are_inferred_from_file_code(void **state)
{
	struct opd_image image = {0}, other = {0};
	struct opd_perf_infer_at leaf = lookup_at(&image, LEAF + 4),
			body = lookup_at(&image, BODY + 11000), gone = lookup_at(&image, SIZE);
	struct oprofile_uw_rule rule;
	struct opd_perf_infer *i;

	(void)state;
	if (!is_supported)
		skip();
	assert_int_equal(opd_perf_infer_create(&i, open_file, NULL), 0);
	nr_opens = 0;
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(rule.cfa_offset, 32);
	assert_true(opd_perf_infer_find(i, &body, &rule));
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_PAIR);
	assert_int_equal(nr_opens, 1);
	/* Offsets outside of the mapping, and machines other than x86, have no rule. */
	assert_false(opd_perf_infer_find(i, &gone, &rule));
	leaf.pc++;
	leaf.machine = OPROFILE_UW_AARCH64;
	assert_false(opd_perf_infer_find(i, &leaf, &rule));
	/* Results for the same offsets of another file are cached separately. */
	leaf = lookup_at(&other, LEAF + 4);
	leaf.end = leaf.pc + 1;
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	assert_int_equal(nr_opens, 2);
	opd_perf_infer_destroy(i);
	opd_perf_infer_destroy(NULL);
}

static void inferred_rules_are_cached(void **state)
{
	struct opd_image image = {0};
	struct opd_perf_infer_at leaf = lookup_at(&image, LEAF + 4);
	struct oprofile_uw_rule rule;
	struct opd_perf_infer *i;

	(void)state;
	if (!is_supported)
		skip();
	assert_int_equal(opd_perf_infer_create(&i, open_file, NULL), 0);
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	assert_int_equal(truncate(path, 0), 0);
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	assert_int_equal(rule.cfa_offset, 32);
	/* Code that is not mapped any more has no rule. */
	leaf.pc++;
	assert_false(opd_perf_infer_find(i, &leaf, &rule));
	opd_perf_infer_destroy(i);
}

/*
 * If a process maps only one page of a file, its rule is inferred from this page, and rules for
 * other processes are unchanged.
 */
static void mapping_of_one_page_has_own_rule(void **state)
{
	struct opd_image image = {0};
	struct opd_perf_infer_at whole = lookup_at(&image, BODY + 11000), page = whole;
	struct oprofile_uw_rule rule;
	struct opd_perf_infer *i;

	(void)state;
	if (!is_supported)
		skip();
	assert_int_equal(opd_perf_infer_create(&i, open_file, NULL), 0);
	page.start = page.pc - page.pc % 4096;
	page.end = page.start + 4096;
	assert_true(opd_perf_infer_find(i, &page, &rule));
	assert_int_not_equal(rule.cfa, OPROFILE_UW_CFA_PAIR);
	assert_true(opd_perf_infer_find(i, &whole, &rule));
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_PAIR);
	opd_perf_infer_destroy(i);
}

/* Return whether this process has a descriptor of the test's file. */
static bool is_open(void)
{
	char name[32], target[4096];
	bool found = false;

	for (int fd = 0; fd < 64 && !found; fd++) {
		ssize_t len;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		len = readlink(name, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		found = strstr(target, path);
	}
	return found;
}

/* A file is closed when no sample needs it, because an open descriptor prevents unmounting. */
static void files_are_closed_when_no_sample_needs_them(void **state)
{
	struct opd_image image = {0};
	struct opd_perf_infer_at leaf = lookup_at(&image, LEAF + 4);
	struct oprofile_uw_rule rule;
	struct opd_perf_infer *i;

	(void)state;
	if (!is_supported)
		skip();
	assert_int_equal(opd_perf_infer_create(&i, open_file, NULL), 0);
	nr_opens = 0;
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	leaf.pc++;
	leaf.time += SECOND;
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	opd_perf_infer_turn(i, leaf.time + SECOND / 2);
	assert_true(is_open());
	opd_perf_infer_turn(i, leaf.time + SECOND);
	assert_false(is_open());
	leaf.pc++;
	leaf.time += 2 * SECOND;
	assert_true(opd_perf_infer_find(i, &leaf, &rule));
	assert_int_equal(nr_opens, 2);
	opd_perf_infer_destroy(i);
}

static void files_that_cannot_be_opened_are_tried_once_a_second(void **state)
{
	struct opd_image images[20] = {{0}};
	struct opd_perf_infer_at a = lookup_at(&images[0], LEAF);
	struct oprofile_uw_rule rule;
	struct opd_perf_infer *i;

	(void)state;
	assert_int_equal(opd_perf_infer_create(&i, open_file, NULL), 0);
	nr_opens = 0;
	open_error = -ENOENT;
	for (int n = 0; n < 3; n++)
		assert_false(opd_perf_infer_find(i, &a, &rule));
	assert_int_equal(nr_opens, 1);
	a.time += 2 * SECOND;
	assert_false(opd_perf_infer_find(i, &a, &rule));
	assert_int_equal(nr_opens, 2);
	/* Open many files over several seconds. */
	for (int n = 1; n < 20; n++) {
		a.image = &images[n];
		assert_false(opd_perf_infer_find(i, &a, &rule));
	}
	assert_true(nr_opens <= 9);
	open_error = 0;
	opd_perf_infer_destroy(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_inferred_from_file_code),
		cmocka_unit_test(mapping_of_one_page_has_own_rule),
		cmocka_unit_test(files_are_closed_when_no_sample_needs_them),
		cmocka_unit_test(files_that_cannot_be_opened_are_tried_once_a_second),
		cmocka_unit_test(inferred_rules_are_cached),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
