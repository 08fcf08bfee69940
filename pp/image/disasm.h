/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h -- machine code as text, one instruction at a time, by libopcodes.
 *
 * libopcodes knows the machines it was built for; for another one its sister library of the same
 * version is loaded when it is installed (Debian: binutils-aarch64-linux-gnu and the like).
 */
#ifndef PP_IMAGE_DISASM_H
#define PP_IMAGE_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct pp_disasm;

struct pp_disasm_options {
	uint16_t machine;	/* EM_* */
	int is64;
	int big_endian;
	const char *words;	/* "intel,addr32", as objdump -M; NULL: none. Checked before by
				 * pp_disasm_bad_word(). Must outlive the disassembler. */
	/*
	 * The name of what covers an address, or NULL; then *@offset is how far into it. For the
	 * targets of jumps and of relative addresses. May be NULL.
	 */
	const char *(*name_at)(void *arg, uint64_t vma, uint64_t *offset);
	void *arg;
};

/* The first of @words that objdump -M would not take for @machine, or NULL. */
const char *pp_disasm_bad_word(uint16_t machine, const char *words);
/* Those it would, for a message; "" when there are none. */
const char *pp_disasm_words(uint16_t machine);

/* -ENOTSUP: no disassembler for this machine is installed; pp_disasm_package() names what would
 * bring it. -ENOMEM. */
int pp_disasm_create(struct pp_disasm **ret, const struct pp_disasm_options *options);
/* Takes NULL. */
void pp_disasm_destroy(struct pp_disasm *disasm);

const char *pp_disasm_package(uint16_t machine);

/*
 * Takes the instruction at @code, which stands at @vma, apart. Returns how many of the @size > 0
 * bytes it takes, at least one; bytes that are no instruction are one too: "(bad)", ".byte 0x..".
 * *@text, one line without blanks at its end, is valid until the next call.
 */
size_t pp_disasm_insn(struct pp_disasm *disasm, const uint8_t *code, size_t size, uint64_t vma,
		      const char **text);

#endif
