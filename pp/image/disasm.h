/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h -- disassembly by libopcodes, one instruction at a time.
 *
 * libopcodes supports the machines for which it was built. For another machine, a second libopcodes
 * of the same version is loaded if it is installed (Debian: binutils-aarch64-linux-gnu and so on).
 */
#ifndef PP_IMAGE_DISASM_H
#define PP_IMAGE_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_disasm;

struct pp_disasm_options {
	uint16_t machine;	/* type of the machine, EM_* */
	bool is64;
	bool big_endian;
	/* options as for objdump -M, such as "intel,addr32", or NULL. The caller checks the words
	 * with pp_disasm_bad_word() first. Must outlive the disassembler. */
	const char *words;
	/*
	 * Return the name of the symbol at an address, or NULL; set *@offset to the offset of the
	 * address in the symbol. The disassembler calls this function for targets of jumps and for
	 * relative addresses. If the pointer is NULL, only addresses are printed.
	 */
	const char *(*name_at)(void *arg, uint64_t vma, uint64_t *offset);
	void *arg;
};

/* Return the first of @words that objdump -M would refuse for @machine, or NULL. */
const char *pp_disasm_bad_word(uint16_t machine, const char *words);
/* Return the words that objdump -M accepts, for a message; "" if objdump accepts no words for
 * @machine. */
const char *pp_disasm_words(uint16_t machine);

/* Create a disassembler. Return 0, -ENOMEM, or -ENOTSUP if no disassembler for this machine is
 * installed; pp_disasm_package() names its package. */
int pp_disasm_create(struct pp_disasm **ret, const struct pp_disasm_options *options);
/* Destroy the disassembler. Accepts NULL. */
void pp_disasm_destroy(struct pp_disasm *disasm);

const char *pp_disasm_package(uint16_t machine);

/*
 * Disassemble the instruction at @code, whose address is @vma. Return its length, between 1 and
 * @size, which must not be 0. A byte that is not an instruction is printed as "(bad)" or ".byte
 * 0x..". *@text, one line without trailing spaces, is valid until the next call.
 */
size_t pp_disasm_insn(struct pp_disasm *disasm, const uint8_t *code, size_t size, uint64_t vma,
		      const char **text);

#endif
