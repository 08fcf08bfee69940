/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h -- disassembly by libopcodes, one instruction at a time.
 *
 * libopcodes supports only those machines for which it was built. For another machine, load a
 * second libopcodes of the same version, if it is installed (Debian: binutils-aarch64-linux-gnu and
 * so on).
 */
#ifndef PP_IMAGE_DISASM_H
#define PP_IMAGE_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_disasm;

struct pp_disasm_options {
	uint16_t machine;	/* ELF machine of the code, EM_* */
	bool is64;
	bool big_endian;
	/* Options as for objdump -M, such as "intel,addr32", or NULL. The caller checks them with
	 * pp_disasm_bad_word() first. They must outlive the disassembler. */
	const char *words;
	/*
	 * Return the name of the symbol at an address, and set *@offset to the offset in the
	 * symbol; or return NULL. Called for targets of jumps and for relative addresses. If
	 * .name_at is NULL, only addresses are printed.
	 */
	const char *(*name_at)(void *arg, uint64_t vma, uint64_t *offset);
	void *arg;
};

/* Return the first of @words that objdump -M would refuse for @machine, or NULL. */
const char *pp_disasm_bad_word(uint16_t machine, const char *words);
/* Return the words that objdump -M accepts for @machine, for a message; "" if objdump accepts no
 * words. */
const char *pp_disasm_words(uint16_t machine);

/* Create a disassembler. Return 0, -ENOMEM, or -ENOTSUP if no disassembler for the machine is
 * installed; pp_disasm_package() then names its package. */
int pp_disasm_create(struct pp_disasm **ret, const struct pp_disasm_options *options);
/* Free the disassembler. @disasm may be NULL. */
void pp_disasm_destroy(struct pp_disasm *disasm);

const char *pp_disasm_package(uint16_t machine);

/*
 * Disassemble the instruction at @code, whose address is @vma. Return its length, from 1 to @size;
 * @size must not be 0. If the code is not an instruction, the text is "(bad)" or ".byte 0x..".
 * *@text is one line without trailing spaces, valid until the next call.
 */
size_t pp_disasm_insn(struct pp_disasm *disasm, const uint8_t *code, size_t size, uint64_t vma,
		      const char **text);

#endif
