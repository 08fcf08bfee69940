// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libcfi_go.c -- which rows of Go's .debug_frame are taken, and where the frame pointer is in them. */
#include "config.h"
#include "libcfi/go.h"

#include <string.h>

#include "tests/unit/check.h"

#define BASE	0x401000u

struct seen {
	struct cfi_row rows[8];
	size_t nr;
};

static int take(void *data, const struct cfi_row *row)
{
	struct seen *seen = data;

	assert_true(seen->nr < 8);
	seen->rows[seen->nr++] = *row;
	return 0;
}

/* Give the rows of a function: from the offsets @at on the CFA is sp + @cfa, until @at is the length of @code. */
static void give(struct seen *seen, const char *code, size_t size, const unsigned int at[], const int cfa[])
{
	const struct cfi_elf elf = {
		.data = (const unsigned char *)code, .size = size, .machine = OPROFILE_UW_X86_64, .nr_segments = 1,
		.segments = { { .address = BASE, .size = size, .executable = 1 } },
	};
	struct cfi_go go = { 0 };

	seen->nr = 0;
	for (size_t i = 0; at[i] < size; i++) {
		const struct cfi_row row = {
			.from = BASE + at[i], .to = BASE + at[i + 1], .rule = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = cfa[i] },
		};

		assert_int_equal(cfi_go_row(&go, &elf, &row, take, seen), 0);
	}
}

static void expect(const struct cfi_row *row, unsigned int from, unsigned int to, int cfa, unsigned int saved)
{
	assert_int_equal(row->from, BASE + from);
	assert_int_equal(row->to, BASE + to);
	assert_int_equal(row->rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(row->rule.cfa_offset, cfa);
	assert_int_equal(row->rule.saved & 15, saved);
	assert_int_equal(row->rule.fp_offset, saved == OPROFILE_UW_AT_CFA ? -2 : 0);
}

/* sub $24, sp; mov bp, 16(sp); lea 16(sp), bp; call; mov 16(sp), bp; add $24, sp; ret */
static void a_frame_is_made_and_taken_away(void **state)
{
	static const char code[] = "\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10\xe8\x01\x02\x03\x04"
				   "\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3";
	static const unsigned int at[] = { 0, 4, 28, 29 };
	static const int cfa[] = { 8, 32, 8 };
	struct seen seen;

	(void)state;
	give(&seen, code, 29, at, cfa);
	assert_int_equal(seen.nr, 5);
	expect(&seen.rows[0], 0, 4, 8, OPROFILE_UW_SAME);
	expect(&seen.rows[1], 4, 14, 32, OPROFILE_UW_SAME);
	expect(&seen.rows[2], 14, 24, 32, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[3], 24, 28, 32, OPROFILE_UW_SAME);
	expect(&seen.rows[4], 28, 29, 8, OPROFILE_UW_SAME);
}

/* push bp; mov sp, bp; sub $16, sp; nop; add $16, sp; pop bp; ret */
static void a_frame_of_newer_compilers(void **state)
{
	static const char code[] = "\x55\x48\x89\xe5\x48\x83\xec\x10\x90\x48\x83\xc4\x10\x5d\xc3";
	static const unsigned int at[] = { 0, 1, 8, 13, 14, 15 };
	static const int cfa[] = { 8, 16, 32, 16, 8 };
	struct seen seen;

	(void)state;
	give(&seen, code, 15, at, cfa);
	assert_int_equal(seen.nr, 6);
	expect(&seen.rows[1], 1, 4, 16, OPROFILE_UW_SAME);
	expect(&seen.rows[2], 4, 8, 16, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[3], 8, 13, 32, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[4], 13, 14, 16, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[5], 14, 15, 8, OPROFILE_UW_SAME);
}

/* The frame pointer of a frame that does not save it is not known. */
static void a_frame_without_its_frame_pointer(void **state)
{
	static const unsigned int at[] = { 0, 4, 9 };
	static const int cfa[] = { 8, 32 };
	struct seen seen;

	(void)state;
	give(&seen, "\x48\x83\xec\x18\x90\x90\x90\x90\x90", 9, at, cfa);
	assert_int_equal(seen.nr, 2);
	expect(&seen.rows[1], 4, 9, 32, OPROFILE_UW_LOST);
}

static void no_rows(const char *code, size_t size, const unsigned int at[], const int cfa[])
{
	struct seen seen;

	give(&seen, code, size, at, cfa);
	assert_int_equal(seen.nr, 0);
}

static void stacks_that_are_changed_have_no_rows(void **state)
{
	static const unsigned int one[] = { 0, 9 }, mcall[] = { 0, 4, 5, 9 };
	static const int cfa[] = { 8 }, pushed[] = { 8, 16, 8 };

	(void)state;
	/* call; ret: of a function without a frame. */
	no_rows("\x90\x90\x90\xe8\x01\x02\x03\x04\xc3", 9, one, cfa);
	/* mov 56(dx), sp; mov bx, sp */
	no_rows("\x90\x90\x48\x8b\x62\x38\x90\x90\xc3", 9, one, cfa);
	no_rows("\x90\x90\x48\x89\xdc\x90\x90\x90\xc3", 9, one, cfa);
	/* mov $15, ax; syscall */
	no_rows("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9, one, cfa);
	/* The rows that follow have no meaning, either. */
	no_rows("\x48\x8b\x62\x38\x50\x41\xff\xd4\x58", 9, mcall, pushed);
}

static void a_goroutine_ends_in_goexit(void **state)
{
	static const unsigned int at[] = { 0, 7 };
	static const int cfa[] = { 8 };
	struct seen seen;

	(void)state;
	give(&seen, "\x90\xe8\x01\x02\x03\x04\x90", 7, at, cfa);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.rows[0].rule.cfa, OPROFILE_UW_CFA_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_made_and_taken_away),
		cmocka_unit_test(a_frame_of_newer_compilers),
		cmocka_unit_test(a_frame_without_its_frame_pointer),
		cmocka_unit_test(stacks_that_are_changed_have_no_rows),
		cmocka_unit_test(a_goroutine_ends_in_goexit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
