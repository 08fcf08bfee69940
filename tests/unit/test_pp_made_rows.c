// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_made_rows.c -- tests unwind rows that are made from a file jit-PID.dump, and damaged
 * dumps and rows. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libcfi/made.h"
#include "pp/image/made_rows.h"
#include "tests/tools/made_dump.h"

#define ROOM		24
#define LATER		UINT64_MAX

static unsigned char code[4][64] __attribute__((aligned(64)));
static char path[64];

/*
 * Convert the jitdump @fd to unwind rows. Set *@ret, malloc'd, and return 0; or return the error of
 * pp_made_rows_write().
 */
static int make(int fd, struct cfi_made **ret)
{
	int out = memfd_create("rows", MFD_CLOEXEC), err;
	struct stat st;
	void *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	err = pp_made_rows_write(out, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	assert_int_equal(fstat(out, &st), 0);
	*ret = malloc((size_t)st.st_size + 1);
	assert_int_equal(pread(out, *ret, (size_t)st.st_size, 0), st.st_size);
	if (!err)
		assert_true(cfi_made_is_valid(*ret, (uint64_t)st.st_size));
	close(out);
	return err;
}

static int begin(void)
{
	int fd = made_dump_open(path, "/tmp");

	assert_int_equal(unlink(path), 0);
	return fd;
}

/* Return the distance of the CFA from rsp at @address, or -1 if no row covers the address. */
static int cfa_at(const struct cfi_made *made, const void *address, uint64_t time)
{
	const struct cfi_made_code *c = cfi_made_find(made, (uintptr_t)address, time);
	const struct oprofile_uw_rule *rule = c ? cfi_made_rule(made, c, (uintptr_t)address) : NULL;

	return rule ? rule->cfa_offset : -1;
}

static void rows_of_each_code_are_found(void **state)
{
	const struct cfi_made_code *c;
	struct cfi_made *made;
	int fd = begin();

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		made_frameless(code[1 - i], ROOM + 16 * i);
		made_dump_frames(fd, ROOM + 16 * i);
		made_dump_load(fd, code[1 - i], MADE_FRAMELESS_SIZE, "made");
	}
	made_dump_load(fd, code[2], 64, "without frames");
	assert_int_equal(make(fd, &made), 0);
	assert_int_equal(cfa_at(made, code[1], LATER), 8);
	assert_int_equal(cfa_at(made, code[1] + 4, LATER), ROOM + 8);
	assert_int_equal(cfa_at(made, code[0] + 9, LATER), ROOM + 16 + 8);
	assert_int_equal(cfa_at(made, code[1] + MADE_FRAMELESS_SIZE - 1, LATER), 8);
	assert_int_equal(cfa_at(made, code[1] + MADE_FRAMELESS_SIZE, LATER), -1);
	assert_int_equal(cfa_at(made, code[2], LATER), -1);
	/* code that was not loaded yet at the sample's time has no row */
	assert_int_equal(cfa_at(made, code[1], 1), -1);
	c = cfi_made_find(made, (uintptr_t)code[1], LATER);
	assert_true(cfi_made_is_after_call(made, c, (uintptr_t)code[1] + 6));
	assert_false(cfi_made_is_after_call(made, c, (uintptr_t)code[1] + 4));
	free(made);
	close(fd);
}

/*
 * If JIT code was replaced or moved, the rows of the code that was loaded at the sample's time
 * apply. If that code has no unwinding information, no row applies.
 */
static void rows_of_code_at_sample_time_apply(void **state)
{
	uint64_t times[3];
	struct cfi_made *made;
	int fd = begin();

	(void)state;
	for (int i = 0; i < 3; i++) {
		if (i < 2)
			made_dump_frames(fd, i ? ROOM + 16 : ROOM);
		made_dump_load(fd, code[0] + 4 * i, MADE_FRAMELESS_SIZE, "made");
		if (i == 1)
			made_dump_move(fd, code[0], code[3], MADE_FRAMELESS_SIZE);
		times[i] = made_record(0, 0).time;
		usleep(1000);
	}
	assert_int_equal(make(fd, &made), 0);
	assert_int_equal(cfa_at(made, code[0] + 9, times[0]), ROOM + 8);
	assert_int_equal(cfa_at(made, code[0] + 9, times[1]), ROOM + 16 + 8);
	assert_int_equal(cfa_at(made, code[0] + 9, times[2]), -1);
	assert_int_equal(cfa_at(made, code[3] + 9, times[0]), -1);
	assert_int_equal(cfa_at(made, code[3] + 9, times[1]), ROOM + 8);
	free(made);
	close(fd);
}

/* Unwinding information in a jitdump applies only to the code that is loaded next. */
static void frames_apply_to_next_code_only(void **state)
{
	struct cfi_made *made;
	int fd = begin();

	(void)state;
	made_dump_frames(fd, ROOM);
	made_dump_load(fd, code[0], 9, "shorter than its frames");
	made_dump_load(fd, code[1], 64, "without frames");
	assert_int_equal(make(fd, &made), 0);
	assert_int_equal(cfa_at(made, code[0] + 8, LATER), ROOM + 8);
	assert_int_equal(cfa_at(made, code[0] + 9, LATER), -1);
	assert_int_equal(cfa_at(made, code[1] + 4, LATER), -1);
	free(made);
	close(fd);
}

static void invalid_dumps_are_refused(void **state)
{
	static const unsigned char swapped[40] = { 0x4a, 0x69, 0x54, 0x44, 0, 0, 0, 1, 0, 0, 0, 40 };
	int fd = begin(), out = memfd_create("rows", MFD_CLOEXEC);
	struct cfi_made *made;

	(void)state;
	assert_int_equal(make(fd, &made), -ENOENT);
	free(made);
	assert_int_equal(pp_made_rows_write(out, "no dump, but long enough to have a header", 41), -EINVAL);
	assert_int_equal(pp_made_rows_write(out, "", 0), -EINVAL);
	assert_int_equal(pp_made_rows_write(out, (const char *)swapped, sizeof(swapped)), -ENOTSUP);
	close(out);
	close(fd);
}

/* Look up in @made every address of the code, and the addresses directly after the code. */
static void look_up_all(const struct cfi_made *made)
{
	for (const unsigned char *at = code[0]; at < code[3] + 64; at++)
		cfa_at(made, at, LATER);
}

/* If a byte of a dump or of unwind rows is changed, the result is valid rows or an error. */
static void damaged_dumps_are_survived(void **state)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct cfi_made *made, *damaged;
	uint64_t size;
	struct stat st;
	int fd = begin();

	(void)state;
	made_dump_frames(fd, ROOM);
	made_dump_load(fd, code[0], MADE_FRAMELESS_SIZE, "made");
	made_dump_move(fd, code[0], code[1], MADE_FRAMELESS_SIZE);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		unsigned char byte;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		for (size_t i = 0; i < sizeof(values); i++) {
			assert_int_equal(pwrite(fd, &values[i], 1, at), 1);
			if (!make(fd, &made))
				look_up_all(made);
			free(made);
		}
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_int_equal(make(fd, &made), 0);
	size = cfi_made_size(made);
	damaged = malloc(size);
	for (uint64_t at = 0; at < size; at++)
		for (size_t i = 0; i < sizeof(values); i++) {
			memcpy(damaged, made, size);
			((unsigned char *)damaged)[at] = values[i];
			if (cfi_made_is_valid(damaged, size))
				look_up_all(damaged);
		}
	for (uint64_t cut = 0; cut < size; cut++)
		assert_false(cfi_made_is_valid(made, cut));
	free(damaged);
	free(made);
	/* If a dump is truncated in its last record, its rows are valid, or it is refused. */
	for (off_t cut = st.st_size - 1; cut > 0; cut--) {
		assert_int_equal(ftruncate(fd, cut), 0);
		if (!make(fd, &made))
			look_up_all(made);
		free(made);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_each_code_are_found),
		cmocka_unit_test(rows_of_code_at_sample_time_apply),
		cmocka_unit_test(frames_apply_to_next_code_only),
		cmocka_unit_test(invalid_dumps_are_refused),
		cmocka_unit_test(damaged_dumps_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
