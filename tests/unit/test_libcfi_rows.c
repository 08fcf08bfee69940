// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_rows.c -- tests reading hand-made .eh_frame sections: the effect of each DW_CFA
 * instruction, refused sections, and the time that reading takes.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "libcfi/cfi.h"

#define ADDRESS	0x100000	/* address of the section .eh_frame */
#define CODE	0x1000		/* address of the function that the section describes */
#define MAX	64

struct maker {
	unsigned char bytes[8192];
	size_t size, entry;
	struct cfi_section section;
};

static void put_byte(struct maker *m, int value)
{
	m->bytes[m->size++] = value;
}

static void put_number(struct maker *m, int size, uint64_t value)
{
	memcpy(m->bytes + m->size, &value, size);
	m->size += size;
}

static void begin_entry(struct maker *m)
{
	m->entry = m->size;
	m->size += 4;
}

static void end_entry(struct maker *m)
{
	uint32_t length;

	while (m->size % 8)
		put_byte(m, 0);
	length = m->size - m->entry - 4;
	memcpy(m->bytes + m->entry, &length, 4);
}

/*
 * Begin a section with a CIE for the machine: the return address and the CFA at a function's first
 * instruction. @letters: the augmentation.
 */
static void begin_section(struct maker *m, const char *letters, int machine)
{
	m->section = (struct cfi_section){ .data = m->bytes, .address = ADDRESS, .machine = machine };
	begin_entry(m);
	put_number(m, 4, 0);
	put_byte(m, 1);
	for (; *letters; letters++)
		put_byte(m, *letters);
	put_byte(m, 0);
	put_byte(m, machine == OPROFILE_UW_AARCH64 ? 4 : 1);
	/* data alignment factor, -4 or -8 */
	put_byte(m, machine == OPROFILE_UW_I386 ? 0x7c : 0x78);
	put_byte(m, machine == OPROFILE_UW_X86_64 ? 16 : machine == OPROFILE_UW_I386 ? 8 : 30);
	put_byte(m, 1);		/* length of the augmentation data in bytes */
	put_byte(m, 0x1b);
	put_byte(m, 0x0c);		/* DW_CFA_def_cfa */
	put_byte(m, machine == OPROFILE_UW_X86_64 ? 7 : machine == OPROFILE_UW_I386 ? 4 : 31);
	put_byte(m, machine == OPROFILE_UW_X86_64 ? 8 : machine == OPROFILE_UW_I386 ? 4 : 0);
	if (machine != OPROFILE_UW_AARCH64) {
		put_byte(m, 0x80 | (machine == OPROFILE_UW_X86_64 ? 16 : 8));
		put_byte(m, 1);
	}
	end_entry(m);
}

static void put_function(struct maker *m, uint64_t from, uint32_t length, const void *program,
			 size_t size)
{
	begin_entry(m);
	put_number(m, 4, m->size);		/* distance to the CIE */
	put_number(m, 4, from - (ADDRESS + m->size));
	put_number(m, 4, length);
	put_byte(m, 0);
	memcpy(m->bytes + m->size, program, size);
	m->size += size;
	end_entry(m);
}

struct rows {
	struct cfi_row row[MAX];
	int nr;
};

static int add_row(void *data, const struct cfi_row *row)
{
	struct rows *rows = data;

	if (rows->nr == MAX)
		return -ENOSPC;
	rows->row[rows->nr++] = *row;
	return 0;
}

/* Return the rows of the section. Check that cfi_row_at() finds the same row at every address. */
static struct rows compile(struct maker *m)
{
	struct rows rows = { .nr = 0 };
	struct cfi_row row;
	/* a copy of the exact size, so that ASan detects reads beyond its end */
	void *copy = malloc(m->size);

	assert_non_null(copy);
	m->section.data = memcpy(copy, m->bytes, m->size);
	m->section.size = m->size;
	assert_int_equal(cfi_compile(&m->section, add_row, &rows), 0);
	for (int i = 0; i < rows.nr; i++)
		for (uint64_t at = rows.row[i].from; at < rows.row[i].to; at++) {
			assert_int_equal(cfi_row_at(&m->section, at, &row), 0);
			assert_int_equal(row.from, rows.row[i].from);
			assert_int_equal(row.to, rows.row[i].to);
			assert_memory_equal(&row.rule, &rows.row[i].rule, sizeof(row.rule));
		}
	m->section.data = m->bytes;
	free(copy);
	return rows;
}

static struct rows rows_of(int machine, const void *program, size_t size)
{
	struct maker m = { .size = 0 };

	begin_section(&m, "zR", machine);
	put_function(&m, CODE, 0x100, program, size);
	return compile(&m);
}

#define ROWS(machine, ...)							\
	rows_of(OPROFILE_UW_##machine, (const unsigned char[]){ __VA_ARGS__ },	\
		sizeof((const unsigned char[]){ __VA_ARGS__ }))

static void is_row(const struct rows *rows, int i, uint64_t from, uint64_t to, int cfa, int offset)
{
	assert_true(i < rows->nr);
	assert_int_equal(rows->row[i].from, from);
	assert_int_equal(rows->row[i].to, to);
	assert_int_equal(rows->row[i].rule.cfa, cfa);
	assert_int_equal(rows->row[i].rule.cfa_offset, offset);
}

static void is_saved(const struct rows *rows, int i, int fp, int fp_offset, int other, int other_offset)
{
	const struct oprofile_uw_rule *rule = &rows->row[i].rule;

	assert_int_equal(rule->saved & 15, fp);
	assert_int_equal(rule->fp_offset, fp_offset);
	assert_int_equal(rule->saved >> 4, other);
	assert_int_equal(rule->other_offset, other_offset);
}

#define SP	OPROFILE_UW_CFA_SP
#define FP	OPROFILE_UW_CFA_FP
#define SAME	OPROFILE_UW_SAME
#define AT_CFA	OPROFILE_UW_AT_CFA
#define LOST	OPROFILE_UW_LOST
#define RETURN	OPROFILE_UW_RETURN

/* Rows of a usual function: push %rbp; mov %rsp,%rbp; push %rbx; ...; leave; ret. */
static void usual_function_has_rows(void **state)
{
	/* after 1 byte: CFA offset 16, rbp saved at CFA - 16 */
	struct rows r = ROWS(X86_64, 0x41, 0x0e, 16, 0x86, 2,
			     /* after 3 bytes: CFA from rbp */
			     0x43, 0x0d, 6,
			     /* after 1 byte: rbx saved at CFA - 24 */
			     0x41, 0x83, 3,
			     /* after 80 bytes: remember state; CFA rsp + 8, rbp and rbx restored */
			     0x02, 0x50, 0x0a, 0x0c, 7, 8, 0xc6, 0xc3,
			     /* after 1 byte: restore state */
			     0x41, 0x0b);

	(void)state;
	assert_int_equal(r.nr, 6);
	is_row(&r, 0, CODE, CODE + 1, SP, 8);
	is_saved(&r, 0, SAME, 0, SAME, 0);
	is_row(&r, 1, CODE + 1, CODE + 4, SP, 16);
	is_saved(&r, 1, AT_CFA, -2, SAME, 0);
	is_row(&r, 2, CODE + 4, CODE + 5, FP, 16);
	is_row(&r, 3, CODE + 5, CODE + 85, FP, 16);
	is_saved(&r, 3, AT_CFA, -2, AT_CFA, -3);
	is_row(&r, 4, CODE + 85, CODE + 86, SP, 8);
	is_saved(&r, 4, SAME, 0, SAME, 0);
	is_row(&r, 5, CODE + 86, CODE + 256, FP, 16);
}

static void other_registers_add_no_rows(void **state)
{
	struct rows r = ROWS(X86_64, 0x41, 0x8c, 2, 0x41, 0x05, 13, 3, 0x41, 0x07, 14, 0x41, 0x10, 15, 2, 0x76, 0,
			     0x41, 0x06, 12, 0x41, 0x2e, 32, 0x41, 0x14, 12, 1, 0x41, 0x00);

	(void)state;
	assert_int_equal(r.nr, 1);
	is_row(&r, 0, CODE, CODE + 0x100, SP, 8);
}

static void advance_instructions_are_read(void **state)
{
	struct rows r = ROWS(X86_64, 0x02, 16, 0x0e, 16, 0x03, 16, 0, 0x0e, 24, 0x04, 16, 0, 0, 0, 0x0e, 32,
			     0x1d, 16, 0, 0, 0, 0, 0, 0, 0, 0x0e, 40,
			     0x40, 0x02, 0, 0x0e, 48);		/* an advance by 0 bytes */

	(void)state;
	assert_int_equal(r.nr, 5);
	for (int i = 0; i < 4; i++)
		is_row(&r, i, CODE + 16 * i, CODE + 16 * (i + 1), SP, 8 + 8 * i);
	is_row(&r, 4, CODE + 64, CODE + 0x100, SP, 48);
}

static void signed_offset_instructions_are_read(void **state)
{
	/* CFA offset -2 * -8 = 16 */
	struct rows r = ROWS(X86_64, 0x41, 0x13, 0x7e,
			     0x41, 0x12, 6, 0x7d,			/* CFA rbp + 24 */
			     0x41, 0x11, 6, 2,				/* rbp saved at CFA - 16 */
			     0x41, 0x2f, 6, 3);				/* rbp saved at CFA + 24 */

	(void)state;
	assert_int_equal(r.nr, 5);
	is_row(&r, 1, CODE + 1, CODE + 2, SP, 16);
	is_row(&r, 2, CODE + 2, CODE + 3, FP, 24);
	is_saved(&r, 3, AT_CFA, -2, SAME, 0);
	is_saved(&r, 4, AT_CFA, 3, SAME, 0);
}

/* A function that aligns its stack as gcc does finds its CFA in r10, and later at rbp - 8. */
static void aligned_stack_is_read(void **state)
{
	struct rows r = ROWS(X86_64, 0x45, 0x0c, 10, 0,			/* CFA r10 + 0 */
			     0x48, 0x10, 6, 2, 0x76, 0,			/* rbp saved at rbp + 0 */
			     0x43, 0x0f, 3, 0x76, 0x78, 0x06,		/* CFA stored at rbp - 8 */
			     0x41, 0x10, 3, 2, 0x76, 0x70);		/* rbx saved at rbp - 16 */

	(void)state;
	assert_int_equal(r.nr, 5);
	is_row(&r, 1, CODE + 5, CODE + 13, OPROFILE_UW_CFA_REGISTER, 0);
	assert_int_equal(r.row[1].rule.cfa_register, 10);
	is_saved(&r, 2, OPROFILE_UW_AT_FP, 0, SAME, 0);
	is_row(&r, 3, CODE + 16, CODE + 17, OPROFILE_UW_CFA_AT_FP, -8);
	is_saved(&r, 4, OPROFILE_UW_AT_FP, 0, OPROFILE_UW_AT_FP, -16);
}

static void cfa_expressions_are_read(void **state)
{
	/*
	 * CFA expressions: OpenSSL's *(rsp + 152) + 8; rsp + 16 + 8; a PLT's; unsupported ones; an
	 * indexed load
	 */
	struct rows r = ROWS(X86_64, 0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 8,
			     0x41, 0x0f, 4, 0x77, 16, 0x23, 8,
			     0x41, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
			     0x41, 0x0f, 3, 0x77, 8, 0x20,
			     0x41, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22,
			     0x41, 0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 9,
			     0x41, 0x0f, 11, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8, 0x96,
			     0x41, 0x0f, 10, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8);

	(void)state;
	assert_int_equal(r.nr, 5);
	is_row(&r, 4, CODE + 7, CODE + 0x100, OPROFILE_UW_CFA_AT_INDEX, 8);
	assert_int_equal(r.row[4].rule.cfa_register, 9);
	assert_int_equal(r.row[4].rule.cfa_add, 1);
	is_row(&r, 0, CODE, CODE + 1, OPROFILE_UW_CFA_AT_SP, 152);
	assert_int_equal(r.row[0].rule.cfa_add, 1);
	is_row(&r, 1, CODE + 1, CODE + 2, SP, 24);
	is_row(&r, 2, CODE + 2, CODE + 3, OPROFILE_UW_CFA_PLT, 11);
	is_row(&r, 3, CODE + 3, CODE + 7, OPROFILE_UW_CFA_UNSUPPORTED, 0);
}

/* The CFA expression of SBCL's frames, *(rbp) + 16, is supported. */
static void sbcl_cfa_expression_is_read(void **state)
{
	struct rows r = ROWS(X86_64, 0x0f, 5, 0x76, 0, 0x06, 0x40, 0x22);

	(void)state;
	assert_int_equal(r.nr, 1);
	is_row(&r, 0, CODE, CODE + 0x100, OPROFILE_UW_CFA_AT_FP, 0);
	assert_int_equal(r.row[0].rule.cfa_add, 2);
}

static void return_address_rules_are_read(void **state)
{
	/* return address in rdi, as in vfork() */
	struct rows r = ROWS(X86_64, 0x09, 16, 5,
			     /* return address undefined, as in _start */
			     0x41, 0x07, 16,
			     /* return address not at CFA - 8: unsupported */
			     0x41, 0x05, 16, 2,
			     0x41, 0x05, 16, 1, 0x0a, 0x07, 6,		/* rbp undefined */
			     /* rbp in rsp: treated as undefined */
			     0x41, 0x0b, 0x09, 6, 7,
			     /* a rule for sp that differs from the CFA: unsupported */
			     0x41, 0x08, 6, 0x14, 7, 0);

	(void)state;
	assert_int_equal(r.nr, 5);
	is_row(&r, 0, CODE, CODE + 1, SP, 8);
	is_saved(&r, 0, SAME, 0, RETURN, 5);
	is_row(&r, 1, CODE + 1, CODE + 2, OPROFILE_UW_CFA_END, 0);
	is_row(&r, 2, CODE + 2, CODE + 3, OPROFILE_UW_CFA_UNSUPPORTED, 0);
	is_row(&r, 3, CODE + 3, CODE + 5, SP, 8);
	is_saved(&r, 3, LOST, 0, SAME, 0);
	is_row(&r, 4, CODE + 5, CODE + 0x100, OPROFILE_UW_CFA_UNSUPPORTED, 0);
}

/*
 * Signal frames: glibc's __restore_rt with the CFA and registers as expressions, and i386 kernels'
 * with registers at CFA + n.
 */
static void signal_frames_are_read(void **state)
{
	static const unsigned char x86_64[] = { 0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xa8, 1,
						0x10, 6, 3, 0x77, 0xf8, 0 };
	static const unsigned char i386[] = { 0x0c, 4, 4, 0x84, 0x79 & 0x3f, 0x11, 4, 0x79, 0x11, 8, 0x72 };
	static const unsigned char wrong[] = { 0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xb0, 1 };
	struct rows r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct maker m = { .size = 0 };

		begin_section(&m, "zRS", i == 1 ? OPROFILE_UW_I386 : OPROFILE_UW_X86_64);
		put_function(&m, CODE, 16, i == 0 ? x86_64 : i == 1 ? i386 : wrong,
			     i == 0 ? sizeof(x86_64) : i == 1 ? sizeof(i386) : sizeof(wrong));
		r = compile(&m);
		assert_int_equal(r.nr, 1);
		if (i == 2)
			is_row(&r, 0, CODE, CODE + 16, OPROFILE_UW_CFA_UNSUPPORTED, 0);
		else
			is_row(&r, 0, CODE, CODE + 16, OPROFILE_UW_CFA_SIGNAL, i ? 32 : 160);
	}
}

static void aarch64_rows_are_read(void **state)
{
	struct rows r = ROWS(AARCH64, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x41, 0x0d, 29,
			     0x44, 0xdd, 0xde, 0x0c, 31, 0);

	(void)state;
	assert_int_equal(r.nr, 4);
	is_row(&r, 0, CODE, CODE + 4, SP, 0);
	is_saved(&r, 0, SAME, 0, RETURN, 30);
	is_row(&r, 1, CODE + 4, CODE + 8, SP, 32);
	is_saved(&r, 1, AT_CFA, -4, AT_CFA, -3);
	is_row(&r, 2, CODE + 8, CODE + 24, FP, 32);
	is_row(&r, 3, CODE + 24, CODE + 0x100, SP, 0);
	is_saved(&r, 3, SAME, 0, RETURN, 30);
}

/*
 * glibc's lazy resolver on aarch64 counts the two words that the PLT pushed as part of the caller's
 * frame: lr is saved at CFA + 8. Its rows are converted so that lr is at CFA - 8.
 */
static void aarch64_resolver_rows_are_converted(void **state)
{
	struct rows r = ROWS(AARCH64, 0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 1, 0x41, 0x0e, 0, 0x41, 0xde, 0x13, 2);

	(void)state;
	assert_int_equal(r.nr, 4);
	for (int i = 0; i < 3; i++) {
		is_row(&r, i, CODE + 4 * i, CODE + 4 * i + 4, SP, i == 1 ? 224 : 16);
		is_saved(&r, i, SAME, 0, AT_CFA, -1);
	}
	is_row(&r, 3, CODE + 12, CODE + 0x100, SP, 0);
	is_saved(&r, 3, SAME, 0, RETURN, 30);
}

/* In .debug_frame, CIE ids differ, addresses are absolute, and lengths may have 64 bits. */
static void debug_frame_is_read(void **state)
{
	for (int wide = 0; wide < 2; wide++) {
		struct maker m = { .size = 0 };
		struct rows r;

		(void)state;
		m.section = (struct cfi_section){ .data = m.bytes, .machine = OPROFILE_UW_X86_64, .form = CFI_DEBUG_FRAME };
		for (int i = 0; i < 3; i++) {
			size_t at = m.size;

			put_number(&m, 4, wide ? 0xffffffff : 0);
			put_number(&m, wide ? 8 : 0, 0);
			if (!i) {
				put_number(&m, wide ? 8 : 4, ~0ULL);
				/* a CIE of version 4 */
				memcpy(m.bytes + m.size, "\4\0\10\0\1\x78\20\x0c\7\10\x90\1", 12);
				m.size += 12;
			} else {
				put_number(&m, wide ? 8 : 4, 0);
				/*
				 * the first FDE's function was dropped by a linker: its address is
				 * 0
				 */
				put_number(&m, 8, i == 1 ? 0 : CODE);
				put_number(&m, 8, 0x20);
				memcpy(m.bytes + m.size, "\x41\x0e\20", 3);
				m.size += 3;
			}
			put_number(&m, 4, 0);
			if (wide) {
				uint64_t length = m.size - at - 12;

				memcpy(m.bytes + at + 4, &length, 8);
			} else {
				uint32_t length = m.size - at - 4;

				memcpy(m.bytes + at, &length, 4);
			}
		}
		r = compile(&m);
		assert_int_equal(r.nr, 2);
		is_row(&r, 0, CODE, CODE + 1, SP, 8);
		is_row(&r, 1, CODE + 1, CODE + 0x20, SP, 16);
	}
}

/*
 * An invalid DW_CFA instruction removes only the remaining rows of its function; other functions
 * keep their rows.
 */
static void invalid_instruction_ends_only_its_function(void **state)
{
	static const struct {
		unsigned char bytes[16];
		int size;
	} bad[] = {
		{ { 0x41, 0x0e, 16, 0x3f }, 4 },		/* 0x3f is not an instruction */
		/* restore_state without remember_state */
		{ { 0x41, 0x0e, 16, 0x0b }, 4 },
		/* an expression that exceeds the end of the program */
		{ { 0x41, 0x0e, 16, 0x0f, 0x70 }, 5 },
		{ { 0x41, 0x0e, 16, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a }, 12 },
		/* set_loc to a lower address */
		{ { 0x41, 0x0e, 16, 0x01, 0, 0, 0xf0, 0xff }, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct maker m = { .size = 0 };
		struct rows r;

		begin_section(&m, "zR", OPROFILE_UW_X86_64);
		put_function(&m, CODE, 0x10, bad[i].bytes, bad[i].size);
		put_function(&m, CODE + 0x10, 0x10, "", 0);
		r = compile(&m);
		assert_int_equal(r.nr, 3);
		is_row(&r, 1, CODE + 1, CODE + 0x10, OPROFILE_UW_CFA_UNSUPPORTED, 0);
		is_row(&r, 2, CODE + 0x10, CODE + 0x20, SP, 8);
	}
}

/*
 * Other functions keep their rows if a section contains terminators in the middle, as linkers
 * produce them, or bytes that are not an entry.
 */
static void terminators_hide_no_functions(void **state)
{
	struct maker m = { .size = 0 };
	struct rows r;

	(void)state;
	begin_section(&m, "zR", OPROFILE_UW_X86_64);
	put_number(&m, 4, 0);
	put_function(&m, CODE, 0x10, "", 0);
	put_number(&m, 8, 0);
	begin_entry(&m);			/* an FDE that refers to a missing CIE */
	put_number(&m, 4, 4);
	put_number(&m, 8, 0);
	end_entry(&m);
	put_function(&m, CODE + 0x20, 0x10, "", 0);
	put_number(&m, 4, 0x7fffffff);	/* an entry that is longer than the section */
	put_number(&m, 8, 0);
	r = compile(&m);
	assert_int_equal(r.nr, 2);
	assert_int_equal(cfi_row_at(&m.section, CODE + 0x10, &r.row[0]), -ENOENT);
}

static int count(void *data, const struct cfi_row *row)
{
	(void)row;
	++*(unsigned long *)data;
	return 0;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static unsigned char *map_huge(size_t size)
{
	unsigned char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(bytes != MAP_FAILED);
	return bytes;
}

/*
 * A section of a gigabyte is refused, and an empty entry of the maximum length is read in limited
 * time.
 */
static void gigabyte_section_takes_limited_time(void **state)
{
	size_t size = 1UL << 30;
	struct cfi_section section = {
		.data = map_huge(size), .size = size, .machine = OPROFILE_UW_X86_64,
	};
	unsigned long rows = 0;
	struct cfi_row row;
	double before = cpu_seconds();

	(void)state;
	assert_int_equal(cfi_compile(&section, count, &rows), -EFBIG);
	assert_int_equal(cfi_row_at(&section, CODE, &row), -EFBIG);
	section.size = CFI_MAX_SECTION;
	assert_int_equal(cfi_compile(&section, count, &rows), 0);
	assert_int_equal(cfi_row_at(&section, CODE, &row), -ENOENT);
	assert_int_equal(rows, 0);
	assert_true(cpu_seconds() - before < 10);
	munmap((void *)section.data, size);
}

/*
 * A function with millions of DW_CFA_advance instructions, each with another CFA offset, is read in
 * limited time, whether each advances by one address, by none, or beyond the function's end.
 */
static void many_advances_take_limited_time(void **state)
{
	struct maker m = { .size = 0 };
	size_t size = 16U << 20;
	unsigned char *bytes = map_huge(size);
	struct cfi_section section;
	uint32_t length;

	(void)state;
	for (int step = 0; step < 3; step++) {
		unsigned long rows = 0;
		double before = cpu_seconds();

		m.size = 0;
		begin_section(&m, "zR", OPROFILE_UW_X86_64);
		put_function(&m, CODE, 0x7fffffff, "", 0);
		length = size - m.entry - 4;
		memcpy(m.bytes + m.entry, &length, 4);
		memcpy(bytes, m.bytes, m.size);
		for (size_t at = m.size; at + 4 <= size; at += 4) {
			/* advance by one address, or by none */
			bytes[at] = step == 1 ? 0x40 : 0x41;
			/* or beyond the function's end */
			bytes[at + 1] = step == 2 ? 0x7f : 0x0e;
			bytes[at + 2] = step == 2 ? 0x0e : at >> 2 & 1;
			bytes[at + 3] = step == 2 ? at >> 2 & 1 : 0x40;
		}
		section = m.section;
		section.data = bytes;
		section.size = size;
		assert_int_equal(cfi_compile(&section, count, &rows), 0);
		assert_true(rows <= size / 4 + 2);
		assert_true(step == 1 ? rows == 1 : rows > 1000000);
		assert_true(cpu_seconds() - before < 60);
	}
	munmap(bytes, size);
}

/*
 * If a CFA expression contains a number that is padded to 64 kB, and thousands of rows have this
 * CFA, reading takes limited time, because the number is decoded only once.
 */
static void padded_number_is_decoded_once(void **state)
{
	size_t size = 1U << 20, padding = 1U << 16;
	struct maker m = { .size = 0 };
	unsigned char *bytes = map_huge(size), *at;
	struct cfi_section section;
	unsigned long rows = 0;
	uint32_t length;

	(void)state;
	begin_section(&m, "zR", OPROFILE_UW_X86_64);
	put_function(&m, CODE, 0x7fffffff, "", 0);
	length = size - m.entry - 4;
	memcpy(m.bytes + m.entry, &length, 4);
	memcpy(bytes, m.bytes, m.size);
	at = bytes + m.size;
	/* DW_CFA_def_cfa_expression of 2 + 64 kB: DW_OP_breg7 */
	memcpy(at, "\x0f\x82\x80\x04\x77", 5);
	at += 5;
	memset(at, 0x80, padding);
	at += padding;
	*at++ = 0;
	for (int i = 0; at + 3 <= bytes + size; i++) {
		*at++ = 0x41;		/* DW_CFA_advance_loc */
		*at++ = 0x86;		/* DW_CFA_offset, rbp */
		*at++ = 2 + (i & 1);
	}
	section = m.section;
	section.data = bytes;
	section.size = size;
	assert_int_equal(cfi_compile(&section, count, &rows), 0);
	assert_int_equal(rows, 1);
	munmap(bytes, size);
}

/*
 * If functions alternately use two CIEs, each function makes the reader parse its CIE again. The
 * number of such parses is limited.
 */
static void alternating_cies_are_limited(void **state)
{
	struct cfi_section section = { .size = 8U << 20, .machine = OPROFILE_UW_X86_64 };
	unsigned char *bytes = map_huge(section.size);
	struct maker m = { .size = 0 };
	unsigned long rows = 0;
	double before = cpu_seconds();
	size_t second;
	int err;

	(void)state;
	section.data = bytes;
	for (int i = 0; i < 2; i++) {
		size_t at = m.size;

		begin_section(&m, "zR", OPROFILE_UW_X86_64);
		m.size = at + 1000;		/* the rest of the entry is DW_CFA_nop */
		((uint32_t *)(m.bytes + at))[0] = 996;
		second = at;
	}
	memcpy(bytes, m.bytes, m.size);
	for (size_t at = m.size; at + 16 <= section.size; at += 16) {
		uint32_t entry[4] = { 12, at + 4 - (at & 16 ? second : 0), CODE, 1 };

		memcpy(bytes + at, entry, sizeof(entry));
	}
	err = cfi_compile(&section, count, &rows);
	assert_int_equal(err, -EFBIG);
	assert_true(cpu_seconds() - before < 60);
	munmap(bytes, section.size);
}

static int cancel(void *data, const struct cfi_row *row)
{
	(void)data;
	(void)row;
	return -ECANCELED;
}

static void callback_error_ends_compile(void **state)
{
	struct maker m = { .size = 0 };

	(void)state;
	begin_section(&m, "zR", OPROFILE_UW_X86_64);
	put_function(&m, CODE, 0x10, "", 0);
	m.section.size = m.size;
	assert_int_equal(cfi_compile(&m.section, cancel, NULL), -ECANCELED);
	m.section.machine = 9;
	assert_int_equal(cfi_compile(&m.section, cancel, NULL), -EINVAL);
}

/* Sections with random changes are refused or read, but never read beyond their end. */
static void random_changes_are_read_within_bounds(void **state)
{
	struct maker m = { .size = 0 };
	struct cfi_section section;
	unsigned int seed = 7;
	struct cfi_row row;

	(void)state;
	begin_section(&m, "zR", OPROFILE_UW_X86_64);
	put_function(&m, CODE, 0x40, "\x41\x0e\x10\x86\x02\x43\x0d\x06\x0a\x02\x10\x0c\x07\x08\x0b",
		     15);
	put_function(&m, CODE + 0x40, 0x40,
		     "\x45\x0c\x0a\x00\x48\x10\x06\x02\x76\x00\x43\x0f\x03\x76\x78\x06", 16);
	section = m.section;
	section.size = m.size;
	for (int round = 0; round < 30000; round++) {
		unsigned char *copy = malloc(m.size);
		unsigned long rows = 0;

		assert_non_null(copy);
		memcpy(copy, m.bytes, m.size);
		for (int i = 0; i < 3; i++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % m.size] = seed >> 16;
		}
		section.data = copy;
		section.machine = 1 + round % 3;
		cfi_compile(&section, count, &rows);
		assert_true(rows < 200);
		cfi_row_at(&section, CODE + seed % 0x80, &row);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_function_has_rows),
		cmocka_unit_test(other_registers_add_no_rows),
		cmocka_unit_test(advance_instructions_are_read),
		cmocka_unit_test(signed_offset_instructions_are_read),
		cmocka_unit_test(aligned_stack_is_read),
		cmocka_unit_test(cfa_expressions_are_read),
		cmocka_unit_test(sbcl_cfa_expression_is_read),
		cmocka_unit_test(return_address_rules_are_read),
		cmocka_unit_test(signal_frames_are_read),
		cmocka_unit_test(aarch64_rows_are_read),
		cmocka_unit_test(aarch64_resolver_rows_are_converted),
		cmocka_unit_test(debug_frame_is_read),
		cmocka_unit_test(invalid_instruction_ends_only_its_function),
		cmocka_unit_test(terminators_hide_no_functions),
		cmocka_unit_test(gigabyte_section_takes_limited_time),
		cmocka_unit_test(many_advances_take_limited_time),
		cmocka_unit_test(padded_number_is_decoded_once),
		cmocka_unit_test(alternating_cies_are_limited),
		cmocka_unit_test(callback_error_ends_compile),
		cmocka_unit_test(random_changes_are_read_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
