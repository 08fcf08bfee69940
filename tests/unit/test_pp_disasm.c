// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_disasm.c -- tests the disassembly of instructions in both syntaxes of x86, for another
 * machine, and of bytes that are not instructions. */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <errno.h>

#include "pp/image/disasm.h"

static const char *name_at(void *arg, uint64_t vma, uint64_t *offset)
{
	(void)arg;
	*offset = vma & 0xf;
	return vma >= 0x1000 && vma < 0x2000 ? "func" : NULL;
}

static struct pp_disasm *create(uint16_t machine, const char *words)
{
	const struct pp_disasm_options options = {
		.machine = machine,
		.is64 = 1,
		.words = words,
		.name_at = name_at,
	};
	struct pp_disasm *disasm;
	int err = pp_disasm_create(&disasm, &options);

	if (err == -ENOTSUP)
		skip();
	assert_int_equal(err, 0);
	return disasm;
}

static void expect(struct pp_disasm *disasm, const char *bytes, size_t size, size_t len,
		   const char *expected)
{
	/* Allocate exactly @size bytes, so that ASan detects a read after the last byte. */
	uint8_t *code = malloc(size);
	const char *text;

	memcpy(code, bytes, size);
	assert_int_equal(pp_disasm_insn(disasm, code, size, 0x1100, &text), len);
	assert_string_equal(text, expected);
	free(code);
}

static void x86_is_printed_in_both_syntaxes(void **state)
{
	struct pp_disasm *att = create(EM_X86_64, NULL);
	struct pp_disasm *intel = create(EM_X86_64, "intel");

	(void)state;
	expect(att, "\x48\x89\xe5\x90", 4, 3, "mov    %rsp,%rbp");
	expect(intel, "\x48\x89\xe5\x90", 4, 3, "mov    rbp,rsp");
	expect(att, "\xe8\xfb\x00\x00\x00", 5, 5, "call   1200 <func>");
	expect(att, "\xe8\xfd\x00\x00\x00", 5, 5, "call   1202 <func+0x2>");
	expect(att, "\xe8\xfb\x00\x10\x00", 5, 5, "call   0x101200");
	expect(att, "\xc3", 1, 1, "ret");
	pp_disasm_destroy(att);
	pp_disasm_destroy(intel);
}

static void invalid_bytes_are_printed_as_bytes(void **state)
{
	struct pp_disasm *disasm = create(EM_X86_64, NULL);

	(void)state;
	expect(disasm, "\x06\x90", 2, 1, "(bad)");
	expect(disasm, "\xe8\xfb", 2, 1, ".byte 0xe8");
	pp_disasm_destroy(disasm);
}

static void aarch64_is_disassembled(void **state)
{
	struct pp_disasm *disasm = create(EM_AARCH64, NULL);

	(void)state;
	expect(disasm, "\xc0\x03\x5f\xd6", 4, 4, "ret");
	expect(disasm, "\x40\x00\x00\x94", 4, 4, "bl\t1200 <func>");
	expect(disasm, "\xff\xff\xff\xff", 4, 4, ".inst\t0xffffffff ; undefined");
	expect(disasm, "\xc0\x03", 2, 2, ".byte 0xc0,0x3");
	pp_disasm_destroy(disasm);
}

static void unknown_machine_is_refused(void **state)
{
	const struct pp_disasm_options options = { .machine = EM_VAX };
	struct pp_disasm *disasm = NULL;

	(void)state;
	assert_int_equal(pp_disasm_create(&disasm, &options), -ENOTSUP);
	assert_null(disasm);
	assert_null(pp_disasm_package(EM_VAX));
	assert_string_equal(pp_disasm_package(EM_AARCH64), "binutils-aarch64-linux-gnu");
}

static void disassembler_options_are_checked(void **state)
{
	(void)state;
	assert_null(pp_disasm_bad_word(EM_X86_64, NULL));
	assert_null(pp_disasm_bad_word(EM_X86_64, "intel"));
	assert_null(pp_disasm_bad_word(EM_X86_64, "intel,addr32"));
	assert_string_equal(pp_disasm_bad_word(EM_X86_64, "intel,addr,att"), "addr,att");
	assert_string_equal(pp_disasm_bad_word(EM_AARCH64, "intel"), "intel");
	assert_string_equal(pp_disasm_bad_word(EM_VAX, "x"), "x");
}

/*
 * In random bytes, the reported length of each instruction is at least 1 and at most the number of
 * remaining bytes.
 */
static void random_bytes_have_valid_lengths(void **state)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		struct pp_disasm *disasm = create(machines[m], NULL);

		for (int round = 0; round < 20000; round++) {
			size_t size, len;
			const char *text;
			uint8_t *code;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			size = 1 + seed % 18;
			code = malloc(size);
			for (size_t i = 0; i < size; i++)
				code[i] = seed >> (8 * (i % 8)) ^ (i * 37 * round);
			len = pp_disasm_insn(disasm, code, size, seed, &text);
			assert_in_range(len, 1, size);
			assert_true(strlen(text) > 0 && !strchr(text, '\n'));
			free(code);
		}
		pp_disasm_destroy(disasm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_is_printed_in_both_syntaxes),
		cmocka_unit_test(invalid_bytes_are_printed_as_bytes),
		cmocka_unit_test(aarch64_is_disassembled),
		cmocka_unit_test(unknown_machine_is_refused),
		cmocka_unit_test(disassembler_options_are_checked),
		cmocka_unit_test(random_bytes_have_valid_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
