/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h -- the basic blocks of a function: runs of instructions that are executed together. A
 * block ends at a jump, and before the target of a jump of the same function.
 *
 * Targets of indirect jumps are unknown. So a block may contain such targets, except those behind a
 * jump.
 */
#ifndef PP_IMAGE_BLOCKS_H
#define PP_IMAGE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/image/disasm.h"

struct pp_insn {
	uint64_t vma;
	uint32_t size;		/* number of bytes */
	bool begins_block;	/* the instruction is the first of a basic block */
};

struct pp_insns {
	struct pp_insn *items;	/* the instructions of a function, in order of address */
	size_t nr;
};

/* Read the @size bytes of @code at the address @vma. @disasm must print addresses without names
 * (struct pp_disasm_options). Return 0 or -ENOMEM. */
int pp_insns_read(struct pp_insns *ret, struct pp_disasm *disasm, const uint8_t *code, size_t size,
		  uint64_t vma);
/* Release the instructions. Accepts a zeroed struct. */
void pp_insns_release(struct pp_insns *insns);

/* The effect of an instruction on the flow of control. */
enum pp_flow { PP_FLOW_NEXT, PP_FLOW_JUMP };

/* Return the effect of the instruction with the text @text of libopcodes for x86 or aarch64. Set
 * *@target to the target of a direct jump, or to UINT64_MAX. A call continues with the next
 * instruction. Declared for tests. */
enum pp_flow pp_insn_flow(const char *text, uint64_t *target);

#endif
