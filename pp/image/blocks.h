/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h -- the basic blocks of a function: instructions that always run together. A block ends
 * at a jump, and before the target of a jump in the same function.
 *
 * Targets of indirect jumps are unknown, so such a target may be in the middle of a block.
 */
#ifndef PP_IMAGE_BLOCKS_H
#define PP_IMAGE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/image/disasm.h"

struct pp_insn {
	uint64_t vma;
	uint32_t size;		/* length of the instruction in bytes */
	bool begins_block;	/* the instruction is the first of a basic block */
};

struct pp_insns {
	struct pp_insn *items;	/* instructions of the function, sorted by address */
	size_t nr;
};

/* Disassemble the @size bytes of @code at the address @vma. @disasm must print addresses without
 * names (struct pp_disasm_options). Return 0 or -ENOMEM. The caller releases *@ret. */
int pp_insns_read(struct pp_insns *ret, struct pp_disasm *disasm, const uint8_t *code, size_t size,
		  uint64_t vma);
/* Free the contents of @insns, which may be zeroed. */
void pp_insns_release(struct pp_insns *insns);

/* Where execution continues after an instruction: at the next instruction, or possibly
 * elsewhere. */
enum pp_flow { PP_FLOW_NEXT, PP_FLOW_JUMP };

/* Return the effect on control flow of an x86 or aarch64 instruction. @text: its text from
 * libopcodes. Set *@target to the target of a direct jump, else to UINT64_MAX. A call continues
 * with the next instruction. Public only for tests. */
enum pp_flow pp_insn_flow(const char *text, uint64_t *target);

#endif
