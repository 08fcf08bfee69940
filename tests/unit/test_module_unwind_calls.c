// SPDX-License-Identifier: GPL-2.0-or-later
/* test_module_unwind_calls.c -- tests which instructions are calls, and the recognition of signal
 * trampolines. */
#include "config.h"
#include "tests/unit/check.h"

#include "module/uapi/unwind_walk.h"

#define X86	OPROFILE_UW_X86_64
#define I386	OPROFILE_UW_I386
#define ARM	OPROFILE_UW_AARCH64

static int is_call(unsigned int machine, int size, const unsigned char *bytes)
{
	/*
	 * The bytes in front of the return address contain the beginnings of calls of 2 to 7 bytes,
	 * but none of these calls ends at the return address.
	 */
	unsigned char code[8] = { 0xff, 0x13, 0xff, 0x13, 0xff, 0x13, 0xff, 0x13 };

	assert_in_range(size, 1, sizeof(code));
	memcpy(code + sizeof(code) - size, bytes, size);
	return oprofile_uw_is_call(machine, code);
}

#define CALL(machine, ...) is_call(machine, sizeof((unsigned char[]){ __VA_ARGS__ }), (unsigned char[]){ __VA_ARGS__ })

static void call_instructions_are_recognised(void **state)
{
	(void)state;
	assert_true(CALL(X86, 0xe8, 1, 2, 3, 4));
	assert_true(CALL(X86, 0x90, 0xff, 0xd0));			/* call *%rax */
	assert_true(CALL(X86, 0x41, 0xff, 0xd3));			/* call *%r11 */
	assert_true(CALL(X86, 0x90, 0xff, 0x10));			/* call *(%rax) */
	assert_true(CALL(X86, 0xff, 0x14, 0x24));			/* call *(%rsp) */
	assert_true(CALL(X86, 0xff, 0x50, 0x18));			/* call *0x18(%rax) */
	assert_true(CALL(X86, 0xff, 0x54, 0x24, 8));			/* call *8(%rsp) */
	assert_true(CALL(X86, 0xff, 0x15, 1, 2, 3, 4));			/* call *x(%rip) */
	assert_true(CALL(X86, 0xff, 0x90, 1, 2, 3, 4));			/* call *0x04030201(%rax) */
	assert_true(CALL(X86, 0xff, 0x14, 0xc5, 1, 2, 3, 4));		/* call *x(,%rax,8) */
	assert_true(CALL(X86, 0xff, 0x94, 0xc5, 1, 2, 3, 4));		/* call *x(%rbp,%rax,8) */
	assert_true(CALL(I386, 0xff, 0x15, 1, 2, 3, 4));
	assert_false(CALL(X86, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90));
	assert_false(CALL(X86, 0xe8, 1, 2, 3, 4, 0x90, 0x90, 0x90));
	assert_false(CALL(X86, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0));	/* jmp *%rax */
	/* call whose last byte is missing */
	assert_false(CALL(X86, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14));
	assert_false(CALL(X86, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14, 0x25, 0));
	assert_false(CALL(X86, 0x90, 0xff, 0x15, 1, 2, 3, 0x90, 0x90));
	assert_true(CALL(ARM, 0x01, 0x02, 0x03, 0x94));			/* bl */
	assert_true(CALL(ARM, 0x01, 0x02, 0x03, 0x97));			/* bl to a lower address */
	assert_true(CALL(ARM, 0x60, 0x02, 0x3f, 0xd6));			/* blr x19 */
	assert_true(CALL(ARM, 0x1f, 0x08, 0x3f, 0xd6));			/* blraaz x0 */
	assert_true(CALL(ARM, 0x01, 0x0c, 0x3f, 0xd7));			/* blrab x0, x1 */
	assert_false(CALL(ARM, 0x01, 0x02, 0x03, 0x14));		/* b */
	assert_false(CALL(ARM, 0xc0, 0x03, 0x5f, 0xd6));		/* ret */
	assert_false(CALL(ARM, 0x00, 0x02, 0x1f, 0xd6));		/* br x16 */
}

static void signal_trampolines_are_recognised(void **state)
{
	static const unsigned char x86[16] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const unsigned char arm[16] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	static const unsigned char i386[16] = { 0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80 };
	struct oprofile_uw_rule rule;

	(void)state;
	assert_true(oprofile_uw_is_sigreturn(X86, x86, &rule));
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_SIGNAL);
	assert_int_equal(rule.cfa_offset, 160);
	assert_true(oprofile_uw_is_sigreturn(ARM, arm, &rule));
	assert_int_equal(rule.cfa_offset, 560);
	assert_true(oprofile_uw_is_sigreturn(I386, i386, &rule));
	assert_int_equal(rule.cfa_offset, 32);
	assert_false(oprofile_uw_is_sigreturn(I386, x86, &rule));
	assert_false(oprofile_uw_is_sigreturn(X86, arm, &rule));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_instructions_are_recognised),
		cmocka_unit_test(signal_trampolines_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
