// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libcfi_infer.c -- tests unwind rules that are inferred from a function's instructions. */
#include "config.h"
#include "tests/unit/check.h"

#include "libcfi/infer.h"
#include "libcfi/insn.h"

#define X86	OPROFILE_UW_X86_64
#define ARM	OPROFILE_UW_AARCH64

struct rows {
	unsigned int nr;
	uint64_t at[32];
	struct oprofile_uw_rule rules[32];
};

static int add_row(void *data, __u64 offset, const struct oprofile_uw_rule *rule)
{
	struct rows *rows = data;

	assert_true(rows->nr < 32);
	rows->at[rows->nr] = offset;
	rows->rules[rows->nr++] = *rule;
	return 0;
}

/*
 * Return the inferred rule at @offset in @size bytes of code. Check that inferring all rules of the
 * code yields the same rule as inferring the rule of this address alone.
 */
static struct oprofile_uw_rule rule_at(unsigned int machine, const void *bytes, size_t size, uint64_t offset)
{
	struct cfi_code code = { bytes, size, machine, NULL };
	struct oprofile_uw_rule one, *found = NULL;
	struct rows rows = { 0 };
	__u64 steps = 100000;

	assert_int_equal(cfi_infer(&code, 0, size, &steps, add_row, &rows), 0);
	for (unsigned int i = 0; i < rows.nr; i++)
		if (rows.at[i] <= offset)
			found = &rows.rules[i];
	assert_non_null(found);
	steps = 100000;
	cfi_infer_at(&code, offset, 0, &steps, &one);
	assert_int_equal(one.cfa, found->cfa);
	assert_int_equal(one.cfa_offset, found->cfa_offset);
	return one;
}

#define AT(machine, bytes, offset)	rule_at(machine, bytes, sizeof(bytes), offset)

static void stack_of_leaf_is_inferred(void **state)
{
	static const unsigned char code[] = {
		0x48, 0x83, 0xec, 0x28,		/* 0: sub $0x28, %rsp */
		0x89, 0x3c, 0x24,		/* 4: mov %edi, (%rsp) */
		0x48, 0x83, 0xc4, 0x28,		/* 7: add $0x28, %rsp */
		0xc3,				/* b: ret */
		0x90, 0x90, 0x90, 0x90,
	};

	(void)state;
	assert_int_equal(AT(X86, code, 0).cfa_offset, 8);
	assert_int_equal(AT(X86, code, 4).cfa_offset, 0x30);
	assert_int_equal(AT(X86, code, 7).cfa_offset, 0x30);
	assert_int_equal(AT(X86, code, 11).cfa_offset, 8);
}

static void frame_of_endless_loop_is_inferred(void **state)
{
	static const unsigned char code[] = {
		0x55,				/* 0: push %rbp */
		0x48, 0x89, 0xe5,		/* 1: mov %rsp, %rbp */
		0x53,				/* 4: push %rbx */
		0xe8, 0, 0, 0, 0,		/* 5: call */
		0xeb, 0xf9,			/* a: jmp 5 */
		0x90, 0x90, 0x90, 0x90,
	};

	(void)state;
	assert_int_equal(AT(X86, code, 0).cfa_offset, 8);
	assert_int_equal(AT(X86, code, 1).cfa_offset, 16);
	assert_int_equal(AT(X86, code, 4).cfa, OPROFILE_UW_CFA_PAIR);
	assert_int_equal(AT(X86, code, 10).cfa, OPROFILE_UW_CFA_PAIR);
}

static void saved_rbp_without_frame_is_inferred(void **state)
{
	static const unsigned char code[] = {
		0x53,				/* 0: push %rbx */
		0x55,				/* 1: push %rbp */
		0x48, 0x89, 0xfd,		/* 2: mov %rdi, %rbp */
		0xff, 0xd6,			/* 5: call *%rsi */
		0x5d,				/* 7: pop %rbp */
		0x5b,				/* 8: pop %rbx */
		0xc3,				/* 9: ret */
		0xcc, 0xcc, 0xcc, 0xcc,
	};
	struct oprofile_uw_rule rule = AT(X86, code, 5);

	(void)state;
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(rule.cfa_offset, 24);
	assert_int_equal(rule.saved, OPROFILE_UW_AT_CFA);
	assert_int_equal(rule.fp_offset, -3);
}

/*
 * Code after a call that never returns belongs to another function, so its epilogue does not
 * describe the first function.
 */
static void epilogue_after_noreturn_call_is_ignored(void **state)
{
	static const unsigned char code[] = {
		0x48, 0x83, 0xec, 0x18,		/* 0: sub $0x18, %rsp */
		0xe8, 0, 1, 0, 0,		/* 4: call */
		0x89, 0xf8,			/* 9: mov %edi, %eax */
		0xc3,				/* b: ret */
		0x90, 0x90, 0x90, 0x90,
	};

	(void)state;
	assert_int_equal(AT(X86, code, 4).cfa, OPROFILE_UW_CFA_CHAIN);
	assert_int_equal(AT(X86, code, 9).cfa_offset, 8);
}

/* If neither a prologue nor an epilogue is visible, no rule is inferred. */
static void code_without_prologue_has_no_rule(void **state)
{
	static const unsigned char code[] = {
		0x89, 0xf8,			/* 0: mov %edi, %eax */
		0xff, 0xe0,			/* 2: jmp *%rax */
		0x90, 0x90, 0x90, 0x90,
	};

	(void)state;
	assert_int_equal(AT(X86, code, 0).cfa, OPROFILE_UW_CFA_CHAIN);
}

/* A sum of stack adjustments that is too large for any stack is treated as unknown, without an
 * overflow. */
static void huge_stack_adjustment_is_unknown(void **state)
{
	static const unsigned char code[] = {
		0x48, 0x81, 0xec, 0xff, 0xff, 0xff, 0x7f,	/* 0: sub $0x7fffffff, %rsp */
		0x48, 0x81, 0xec, 0x00, 0x00, 0x00, 0x80,	/* 7: sub $-0x80000000, %rsp */
		0xc3,						/* 14: ret */
	};
	static const unsigned char near[] = {
		0x48, 0x81, 0xec, 0x00, 0x00, 0x00, 0x10,	/* 0: sub $0x10000000, %rsp, twice */
		0x48, 0x81, 0xec, 0x00, 0x00, 0x00, 0x10,
		0xc3,						/* 14: ret */
	};

	(void)state;
	assert_int_equal(AT(X86, code, 0).cfa, OPROFILE_UW_CFA_CHAIN);
	assert_int_equal(AT(X86, near, 0).cfa, OPROFILE_UW_CFA_CHAIN);
	assert_int_equal(AT(X86, code, 14).cfa, OPROFILE_UW_CFA_SP);
}

/*
 * If interpreter handlers are called once and then jump to each other, their return address is at
 * the stack pointer.
 */
static void interpreter_handlers_are_inferred(void **state)
{
	static const unsigned char code[] __attribute__((aligned(16))) = {
		0xff, 0xe0,			/* 0: jmp *%rax */
		[2 ... 15] = 0xcc,
		0x48, 0x89, 0xc3,		/* 10: mov %rax, %rbx */
		0x74, 0x0a,			/* 13: je 1f */
		0xff, 0xe1,			/* 15: jmp *%rcx */
		0x89, 0xf8,			/* 17: mov %edi, %eax */
		0x48, 0x89, 0xec,		/* 19: mov %rbp, %rsp */
		0x5d,				/* 1c: pop %rbp */
		0xeb, 0xf6,			/* 1d: jmp 15 */
		0x90, 0x90, 0x90, 0x90,
	};
	struct oprofile_uw_rule rule = AT(X86, code, 0x17);

	(void)state;
	assert_int_equal(AT(X86, code, 0).cfa, OPROFILE_UW_CFA_CHAIN);
	for (uint64_t at = 0x10; at <= 0x15; at += at == 0x13 ? 2 : 3)
		assert_int_equal(AT(X86, code, at).cfa_offset, 8);
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_PAIR);
}

/*
 * The return trampoline of signal handlers (mov $15, eax; syscall) at offset 4 gets the rule SIGNAL
 * at the offsets 3 and 4, where unwinders look.
 */
static void signal_trampoline_gets_signal_rule(void **state)
{
	static const unsigned char bytes[] = {
		0x89, 0xf8,			/* 0: mov %edi, %eax */
		0xc3,				/* 2: ret */
		0xcc,				/* 3: int3 */
		0xb8, 15, 0, 0, 0,		/* 4: mov $15, %eax */
		0x0f, 0x05,			/* 9: syscall */
		0x89, 0xf8,			/* b: mov %edi, %eax */
		0xc3,				/* d: ret */
		0x48, 0xc7, 0xc0, 15, 0, 0, 0,	/* e: mov $15, %rax */
		0x0f, 0x05,			/* 15: syscall */
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	};
	static const struct { uint64_t at; uint8_t cfa; } expected[] = {
		{ 0, OPROFILE_UW_CFA_SP }, { 3, OPROFILE_UW_CFA_SIGNAL }, { 11, OPROFILE_UW_CFA_SP },
		{ 14, OPROFILE_UW_CFA_SIGNAL }, { 23, OPROFILE_UW_CFA_CHAIN },
	};
	struct cfi_code code = { bytes, sizeof(bytes), X86, NULL };
	struct rows rows = { 0 };
	__u64 steps = 1000;

	(void)state;
	assert_int_equal(cfi_infer(&code, 0, sizeof(bytes), &steps, add_row, &rows), 0);
	assert_int_equal(rows.nr, sizeof(expected) / sizeof(expected[0]));
	for (unsigned int i = 0; i < rows.nr; i++) {
		assert_int_equal(rows.at[i], expected[i].at);
		assert_int_equal(rows.rules[i].cfa, expected[i].cfa);
	}
}

static void aarch64_frames_are_inferred(void **state)
{
	static const uint32_t code[] = {
		0xa9be7bfd,	/* 0: stp x29, x30, [sp, #-32]! */
		0x910003fd,	/* 4: mov x29, sp */
		0x94000100,	/* 8: bl */
		0xa8c27bfd,	/* 12: ldp x29, x30, [sp], #32 */
		0xd65f03c0,	/* 16: ret */
		0xd10083ff,	/* 20: sub sp, sp, #32 */
		0xf90003e0,	/* 24: str x0, [sp] */
		0x910083ff,	/* 28: add sp, sp, #32 */
		0xd65f03c0,	/* 32: ret */
	};
	struct oprofile_uw_rule rule;

	(void)state;
	assert_int_equal(AT(ARM, code, 0).saved >> 4, OPROFILE_UW_RETURN);
	rule = AT(ARM, code, 8);
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(rule.cfa_offset, 32);
	assert_int_equal(rule.saved, OPROFILE_UW_AT_CFA | OPROFILE_UW_AT_CFA << 4);
	assert_int_equal(rule.fp_offset, -4);
	assert_int_equal(rule.other_offset, -3);
	rule = AT(ARM, code, 24);
	assert_int_equal(rule.cfa_offset, 32);
	assert_int_equal(rule.saved, OPROFILE_UW_RETURN << 4);
	assert_int_equal(rule.other_offset, 30);
	assert_int_equal(AT(ARM, code, 16).cfa_offset, 0);
}

/* If the code consists of random bytes of any length, no byte after its end is read. */
static void random_bytes_are_read_within_bounds(void **state)
{
	unsigned char bytes[64];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t size = 1 + round % sizeof(bytes);
		unsigned char *exact = malloc(size);
		unsigned int machine = round % 3 + 1;
		struct cfi_code code = { exact, size, machine, NULL };
		struct oprofile_uw_rule rule;
		struct rows rows = { 0 };
		__u64 steps = 1000;

		for (size_t i = 0; i < size; i++) {
			seed = seed * 1103515245 + 12345;
			bytes[i] = seed >> 16;
		}
		memcpy(exact, bytes, size);
		rows.nr = 0;
		cfi_infer_at(&code, round % size, round & 1, &steps, &rule);
		steps = 1000;
		assert_true(rule.cfa < OPROFILE_UW_NR_CFA);
		assert_true(oprofile_uw_rule_sound(&rule, machine));
		if (size < 30)
			assert_int_equal(cfi_infer(&code, 0, size, &steps, add_row, &rows), 0);
		free(exact);
	}
}

/*
 * Infer the rule after 16,384 bytes @byte with at most @limit steps, and return the number of
 * steps. The following instructions do not determine the rule.
 */
static uint64_t count_steps(unsigned char byte, uint64_t limit)
{
	static unsigned char bytes[16400];
	struct cfi_code code = { bytes, sizeof(bytes), X86, NULL };
	struct oprofile_uw_rule rule;
	__u64 steps = limit;

	memset(bytes, byte, sizeof(bytes));
	cfi_infer_at(&code, 16390, 0, &steps, &rule);
	assert_true(steps <= limit);
	return limit - steps;
}

/*
 * The backward search for a function's beginning is limited in steps, even if there is no
 * beginning.
 */
static void backward_search_is_limited(void **state)
{
	(void)state;
	assert_in_range(count_steps(0x90, 100000), 1000, 2000);
	assert_in_range(count_steps(0x55, 100000), 16000, 20000);
	assert_in_range(count_steps(0xf3, 100000), 16000, 20000);
	assert_int_equal(count_steps(0x55, 5000), 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_of_leaf_is_inferred),
		cmocka_unit_test(frame_of_endless_loop_is_inferred),
		cmocka_unit_test(saved_rbp_without_frame_is_inferred),
		cmocka_unit_test(epilogue_after_noreturn_call_is_ignored),
		cmocka_unit_test(code_without_prologue_has_no_rule),
		cmocka_unit_test(huge_stack_adjustment_is_unknown),
		cmocka_unit_test(interpreter_handlers_are_inferred),
		cmocka_unit_test(signal_trampoline_gets_signal_rule),
		cmocka_unit_test(aarch64_frames_are_inferred),
		cmocka_unit_test(random_bytes_are_read_within_bounds),
		cmocka_unit_test(backward_search_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
