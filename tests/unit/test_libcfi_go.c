// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_go.c -- tests which rows of Go's .debug_frame libcfi accepts, and where those rows
 * say that the frame pointer is saved.
 */
#include "config.h"
#include "libcfi/go.h"

#include <string.h>

#include "tests/unit/check.h"

#define BASE	0x401000u

struct seen {
	struct cfi_row rows[8];
	size_t nr;
};

static int add_row(void *data, const struct cfi_row *row)
{
	struct seen *seen = data;

	assert_true(seen->nr < 8);
	seen->rows[seen->nr++] = *row;
	return 0;
}

/*
 * Pass the rows of a function to cfi_go_row(): from the offset @at[i] on, the CFA is sp + @cfa[i].
 * The last @at is the length of @code.
 */
static void convert_rows(struct seen *seen, const char *code, size_t size, const unsigned int at[],
			 const int cfa[])
{
	const struct cfi_elf elf = {
		.data = (const unsigned char *)code, .size = size, .machine = OPROFILE_UW_X86_64, .nr_segments = 1,
		.segments = { { .address = BASE, .size = size, .executable = 1 } },
	};
	struct cfi_go go = { .left = ~0ULL };

	seen->nr = 0;
	for (size_t i = 0; at[i] < size; i++) {
		const struct cfi_row row = {
			.from = BASE + at[i], .to = BASE + at[i + 1], .rule = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = cfa[i] },
		};

		assert_int_equal(cfi_go_row(&go, &elf, &row, add_row, seen), 0);
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

/*
 * Code of a function with a frame: sub $24, sp; mov bp, 16(sp); lea 16(sp), bp; call; mov 16(sp),
 * bp; add $24, sp; ret.
 */
static void frame_size_changes_add_rows(void **state)
{
	static const char code[] = "\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10\xe8\x01\x02\x03\x04"
				   "\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3";
	static const unsigned int at[] = { 0, 4, 28, 29 };
	static const int cfa[] = { 8, 32, 8 };
	struct seen seen;

	(void)state;
	convert_rows(&seen, code, 29, at, cfa);
	assert_int_equal(seen.nr, 5);
	expect(&seen.rows[0], 0, 4, 8, OPROFILE_UW_SAME);
	expect(&seen.rows[1], 4, 14, 32, OPROFILE_UW_SAME);
	expect(&seen.rows[2], 14, 24, 32, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[3], 24, 28, 32, OPROFILE_UW_SAME);
	expect(&seen.rows[4], 28, 29, 8, OPROFILE_UW_SAME);
}

/* Code of a newer Go compiler: push bp; mov sp, bp; sub $16, sp; nop; add $16, sp; pop bp; ret. */
static void frame_of_newer_compilers_is_converted(void **state)
{
	static const char code[] = "\x55\x48\x89\xe5\x48\x83\xec\x10\x90\x48\x83\xc4\x10\x5d\xc3";
	static const unsigned int at[] = { 0, 1, 8, 13, 14, 15 };
	static const int cfa[] = { 8, 16, 32, 16, 8 };
	struct seen seen;

	(void)state;
	convert_rows(&seen, code, 15, at, cfa);
	assert_int_equal(seen.nr, 6);
	expect(&seen.rows[1], 1, 4, 16, OPROFILE_UW_SAME);
	expect(&seen.rows[2], 4, 8, 16, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[3], 8, 13, 32, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[4], 13, 14, 16, OPROFILE_UW_AT_CFA);
	expect(&seen.rows[5], 14, 15, 8, OPROFILE_UW_SAME);
}

/* If the frame of a function does not save the frame pointer, the caller's frame pointer is
 * unknown. */
static void frame_without_saved_frame_pointer_loses_it(void **state)
{
	static const unsigned int at[] = { 0, 4, 9 };
	static const int cfa[] = { 8, 32 };
	struct seen seen;

	(void)state;
	convert_rows(&seen, "\x48\x83\xec\x18\x90\x90\x90\x90\x90", 9, at, cfa);
	assert_int_equal(seen.nr, 2);
	expect(&seen.rows[1], 4, 9, 32, OPROFILE_UW_LOST);
}

static void expect_no_rows(const char *code, size_t size, const unsigned int at[], const int cfa[])
{
	struct seen seen;

	convert_rows(&seen, code, size, at, cfa);
	assert_int_equal(seen.nr, 0);
}

static void stack_switches_have_no_rows(void **state)
{
	static const unsigned int one[] = { 0, 9 }, mcall[] = { 0, 4, 5, 9 };
	static const int cfa[] = { 8 }, pushed[] = { 8, 16, 8 };

	(void)state;
	/* code of a function without a frame: call; ret */
	expect_no_rows("\x90\x90\x90\xe8\x01\x02\x03\x04\xc3", 9, one, cfa);
	/* code that changes the stack: mov 56(dx), sp; mov bx, sp */
	expect_no_rows("\x90\x90\x48\x8b\x62\x38\x90\x90\xc3", 9, one, cfa);
	expect_no_rows("\x90\x90\x48\x89\xdc\x90\x90\x90\xc3", 9, one, cfa);
	/* code of rt_sigreturn: mov $15, ax; syscall */
	expect_no_rows("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9, one, cfa);
	/* Rows after an instruction that changes the stack are dropped, too. */
	expect_no_rows("\x48\x8b\x62\x38\x50\x41\xff\xd4\x58", 9, mcall, pushed);
}

static void goroutine_path_ends_in_goexit(void **state)
{
	static const unsigned int at[] = { 0, 7 };
	static const int cfa[] = { 8 };
	struct seen seen;

	(void)state;
	convert_rows(&seen, "\x90\xe8\x01\x02\x03\x04\x90", 7, at, cfa);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.rows[0].rule.cfa, OPROFILE_UW_CFA_END);
}

/*
 * Write a function table of Go 1.18 or 1.20 with two functions. The second function, at BASE + 16,
 * is marked as outermost.
 */
static void make_functions(unsigned char table[256], bool is_new)
{
	static const __u32 descriptions[] = { 32, 96 }, begins[] = { 0, 16, 32 };
	const __u64 words[] = { 2, 0, BASE, 0, 0, 0, 0, 72 };
	const __u32 magic = is_new ? 0xfffffff1 : 0xfffffff0;

	memset(table, 0, 256);
	memcpy(table, &magic, 4);
	table[6] = 1;
	table[7] = 8;
	memcpy(table + 8, words, sizeof(words));
	for (int i = 0; i < 3; i++) {
		memcpy(table + 72 + 8 * i, &begins[i], 4);
		if (i < 2)
			memcpy(table + 76 + 8 * i, &descriptions[i], 4);
	}
	table[72 + 96 + (is_new ? 41 : 37)] = 5;
}

static void outermost_functions_are_marked(void **state)
{
	unsigned char table[256];
	const struct cfi_elf elf = { .data = table, .size = sizeof(table), .machine = OPROFILE_UW_X86_64 };
	const struct cfi_elf_section section = { .size = sizeof(table) };
	struct cfi_go_functions functions;

	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		make_functions(table, is_new);
		cfi_go_functions_read(&functions, &elf, &section, 0);
		assert_false(cfi_go_is_outermost(&functions, &elf, BASE));
		assert_true(cfi_go_is_outermost(&functions, &elf, BASE + 16));
		assert_false(cfi_go_is_outermost(&functions, &elf, BASE + 17));
		assert_false(cfi_go_is_outermost(&functions, &elf, BASE - 16));
	}
	/* In a position-independent file, the function table does not contain the address of the
	 * code. */
	memset(table + 8 + 16, 0, 8);
	cfi_go_functions_read(&functions, &elf, &section, BASE);
	assert_true(cfi_go_is_outermost(&functions, &elf, BASE + 16));
	cfi_go_functions_read(&functions, &elf, &section, 0);
	assert_false(cfi_go_is_outermost(&functions, &elf, BASE + 16));
}

static void damaged_functions_are_not_marked(void **state)
{
	static unsigned char table[256];
	const struct cfi_elf elf = { .data = table, .size = sizeof(table), .machine = OPROFILE_UW_X86_64 };
	struct cfi_go_functions functions;

	(void)state;
	for (size_t size = 0; size < sizeof(table); size++) {
		const struct cfi_elf_section section = { .size = size };

		make_functions(table, true);
		cfi_go_functions_read(&functions, &elf, &section, 0);
		if (size <= 72 + 96 + 41)
			assert_false(cfi_go_is_outermost(&functions, &elf, BASE + 16));
	}
	for (size_t at = 0; at < sizeof(table); at++) {
		const struct cfi_elf_section section = { .size = sizeof(table) };

		make_functions(table, false);
		memset(table + at, 0xff, sizeof(table) - at < 8 ? sizeof(table) - at : 8);
		cfi_go_functions_read(&functions, &elf, &section, 0);
		cfi_go_is_outermost(&functions, &elf, BASE + 16);
	}
}

/* The path ends at an outermost function (call; ret), which starts a thread. */
static void outermost_function_ends_path(void **state)
{
	static unsigned char bytes[512];
	const struct cfi_elf elf = {
		.data = bytes, .size = sizeof(bytes), .machine = OPROFILE_UW_X86_64, .nr_segments = 1,
		.segments = { { .address = BASE, .offset = 256, .size = 64, .executable = 1 } },
	};
	const struct cfi_elf_section section = { .size = 256 };
	struct cfi_row row = { .rule = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = 8 } };
	struct cfi_go_functions functions;
	struct cfi_go go = { .functions = &functions, .left = 12 };
	struct seen seen = { .nr = 0 };

	(void)state;
	make_functions(bytes, true);
	memcpy(bytes + 256, "\xe8\x01\x02\x03\x04\xc3", 6);
	memcpy(bytes + 272, "\xe8\x01\x02\x03\x04\xc3", 6);
	cfi_go_functions_read(&functions, &elf, &section, 0);
	row.from = BASE;
	row.to = BASE + 6;
	assert_int_equal(cfi_go_row(&go, &elf, &row, add_row, &seen), 0);
	assert_int_equal(seen.nr, 0);
	row.from = BASE + 16;
	row.to = BASE + 22;
	assert_int_equal(cfi_go_row(&go, &elf, &row, add_row, &seen), 0);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.rows[0].rule.cfa, OPROFILE_UW_CFA_END);
	/*
	 * The number of bytes that are read is limited, so overlapping functions do not make the
	 * reader read the same code again and again.
	 */
	assert_int_equal(go.left, 0);
	assert_int_equal(cfi_go_row(&go, &elf, &row, add_row, &seen), 0);
	assert_int_equal(seen.nr, 1);
}

/*
 * Instructions whose bytes partly look like changes of sp or like a call do not change the row: mov
 * r8, r12; lea 8(r8), r12; mov $0xe8, al; bt $9, edx.
 */
static void other_registers_do_not_change_row(void **state)
{
	static const unsigned int at[] = { 0, 14 };
	static const int cfa[] = { 8 };
	struct seen seen;

	(void)state;
	convert_rows(&seen, "\x4d\x89\xc4\x4d\x8d\x60\x08\xb0\xe8\x0f\xba\xe2\x09\xc3", 14, at,
		     cfa);
	assert_int_equal(seen.nr, 1);
	expect(&seen.rows[0], 0, 14, 8, OPROFILE_UW_SAME);
}

/*
 * runtime.mcall switches to the scheduler's stack and does not return: the rows before the switch
 * lead to the caller, and the rows after it end the path.
 */
static void rows_after_mcall_stack_switch_end_path(void **state)
{
	/* mov bx, ax; mov 56(r14), sp; push ax; call *r12; pop ax; jmp */
	static const char code[] = "\x48\x89\xd8\x49\x8b\x66\x38\x50\x41\xff\xd4\x58\xeb\xfe";
	static const unsigned int at[] = { 0, 8, 12, 14 };
	static const int cfa[] = { 8, 16, 8 };
	static unsigned char bytes[512];
	const struct cfi_elf elf = {
		.data = bytes, .size = sizeof(bytes), .machine = OPROFILE_UW_X86_64, .nr_segments = 1,
		.segments = { { .address = BASE, .offset = 256, .size = 64, .executable = 1 } },
	};
	const struct cfi_elf_section section = { .size = 256 };
	const __u64 names = 200;
	struct cfi_go_functions functions;

	(void)state;
	for (int is_mcall = 0; is_mcall < 2; is_mcall++) {
		struct cfi_go go = { .functions = &functions, .left = ~0ULL };
		struct seen seen = { .nr = 0 };

		make_functions(bytes, is_mcall);
		memcpy(bytes + 8 + 3 * 8, &names, 8);
		strcpy((char *)bytes + 200, is_mcall ? "runtime.mcall" : "runtime.mcalls");
		memcpy(bytes + 256, code, sizeof(code));
		cfi_go_functions_read(&functions, &elf, &section, 0);
		assert_int_equal(cfi_go_has_name(&functions, &elf, BASE, "runtime.mcall"), is_mcall);
		assert_false(cfi_go_has_name(&functions, &elf, BASE + 1, "runtime.mcall"));
		for (int i = 0; i < 3; i++) {
			const struct cfi_row row = {
				.from = BASE + at[i], .to = BASE + at[i + 1], .rule = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = cfa[i] },
			};

			assert_int_equal(cfi_go_row(&go, &elf, &row, add_row, &seen), 0);
		}
		if (!is_mcall) {
			assert_int_equal(seen.nr, 0);
			continue;
		}
		assert_int_equal(seen.nr, 4);
		expect(&seen.rows[0], 0, 7, 8, OPROFILE_UW_SAME);
		assert_int_equal(seen.rows[1].from, BASE + 7);
		for (int i = 1; i < 4; i++)
			assert_int_equal(seen.rows[i].rule.cfa, OPROFILE_UW_CFA_END);
		assert_int_equal(seen.rows[3].to, BASE + 14);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_size_changes_add_rows),
		cmocka_unit_test(frame_of_newer_compilers_is_converted),
		cmocka_unit_test(frame_without_saved_frame_pointer_loses_it),
		cmocka_unit_test(stack_switches_have_no_rows),
		cmocka_unit_test(goroutine_path_ends_in_goexit),
		cmocka_unit_test(outermost_functions_are_marked),
		cmocka_unit_test(damaged_functions_are_not_marked),
		cmocka_unit_test(rows_after_mcall_stack_switch_end_path),
		cmocka_unit_test(outermost_function_ends_path),
		cmocka_unit_test(other_registers_do_not_change_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
