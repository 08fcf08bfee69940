// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_blocks.c -- tests basic blocks: which instructions jump, their targets, and where blocks
 * begin. */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <errno.h>

#include "pp/image/blocks.h"

static void expect_jump(const char *text, enum pp_flow flow, uint64_t target)
{
	uint64_t got = 0;

	assert_int_equal(pp_insn_flow(text, &got), flow);
	assert_int_equal(got, target);
}

static void jumps_of_x86(void **state)
{
	(void)state;
	expect_jump("jmp    0x1200", PP_FLOW_JUMP, 0x1200);
	expect_jump("jne    0x12ab", PP_FLOW_JUMP, 0x12ab);
	expect_jump("bnd jmp 0x1200", PP_FLOW_JUMP, 0x1200);
	expect_jump("jmp    *%rax", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("notrack jmp *%rdx", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("jmp    *0x2fe2(%rip)        # 0x4000", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("ret", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("repz ret", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("call   0x1200", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("mov    %rsp,%rbp", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("rep movsb %ds:(%rsi),%es:(%rdi)", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("bswap  %eax", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("rep", PP_FLOW_NEXT, UINT64_MAX);
}

static void jumps_of_aarch64(void **state)
{
	(void)state;
	expect_jump("b\t0x1200", PP_FLOW_JUMP, 0x1200);
	expect_jump("b.ne\t0x1200  // b.any", PP_FLOW_JUMP, 0x1200);
	expect_jump("b.cs\t0x1200  // b.hs, b.nlast", PP_FLOW_JUMP, 0x1200);
	expect_jump("cbz\tx0, 0x1200", PP_FLOW_JUMP, 0x1200);
	expect_jump("tbnz\tw1, #3, 0x1200", PP_FLOW_JUMP, 0x1200);
	expect_jump("br\tx16", PP_FLOW_JUMP, UINT64_MAX);
	expect_jump("bl\t0x1200", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("blr\tx1", PP_FLOW_NEXT, UINT64_MAX);
	expect_jump("bic\tx0, x1, x2", PP_FLOW_NEXT, UINT64_MAX);
}

static void blocks_of_a_loop(void **state)
{
	/* the instructions xor; loop: inc; cmp; jne loop; call; nop; ret; nop */
	static const uint8_t code[] = { 0x31, 0xc0, 0xff, 0xc0, 0x39, 0xf8, 0x75, 0xfa,
					0xe8, 0x00, 0x00, 0x00, 0x00, 0x90, 0xc3, 0x90 };
	static const bool begins[] = { true, true, false, false, true, false, false, true };
	const struct pp_disasm_options options = { .machine = EM_X86_64, .is64 = 1 };
	struct pp_disasm *disasm;
	struct pp_insns insns;

	(void)state;
	if (pp_disasm_create(&disasm, &options))
		skip();
	assert_int_equal(pp_insns_read(&insns, disasm, code, sizeof(code), 0x1000), 0);
	assert_int_equal(insns.nr, sizeof(begins) / sizeof(begins[0]));
	for (size_t i = 0; i < insns.nr; i++)
		assert_int_equal(insns.items[i].begins_block, begins[i]);
	assert_int_equal(insns.items[1].vma, 0x1002);
	assert_int_equal(insns.items[4].size, 5);
	pp_insns_release(&insns);
	pp_insns_release(&insns);

	assert_int_equal(pp_insns_read(&insns, disasm, code, 0, 0x1000), 0);
	assert_int_equal(insns.nr, 0);
	pp_insns_release(&insns);
	pp_disasm_destroy(disasm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_of_x86),
		cmocka_unit_test(jumps_of_aarch64),
		cmocka_unit_test(blocks_of_a_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
