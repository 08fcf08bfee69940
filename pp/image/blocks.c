// SPDX-License-Identifier: GPL-2.0-or-later
/* blocks.c -- finds the basic blocks of a function in its disassembly. */
#include "config.h"
#include "pp/image/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

/* Prefixes that libopcodes prints before the mnemonic of an x86 instruction. */
static const char *const prefixes[] = { "bnd", "notrack", "data16", "cs", "ds", "rep", "repz" };

/* Mnemonics that end a basic block. Mnemonics that begin with "j" (x86) or "b." (aarch64) are not
 * listed. */
static const char *const jumps[] = {
	"ret", "retq", "iretq", "sysretq", "ud2", "hlt", "loop", "loope", "loopne", /* x86 */
	"b", "br", "cbz", "cbnz", "tbz", "tbnz", "retaa", "retab", "braa", "brab", "udf", "brk",
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

static bool is_jump(const char *name, size_t len)
{
	if (*name == 'j' || !strncmp(name, "b.", 2))
		return true;
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++)
		if (is_word(name, len, jumps[i]))
			return true;
	return false;
}

static bool is_prefix(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (is_word(name, len, prefixes[i]))
			return true;
	return len > 3 && !strncmp(name, "rex", 3);
}

/* Return the address in the last operand of a jump, or UINT64_MAX if the target is in a register or
 * in memory. x86 writes such operands as "*%rax" or "*0x10(%rip)". */
static uint64_t target_of(const char *operands)
{
	/* on aarch64, libopcodes appends other names of the condition as a comment: "// b.hs,
	 * b.nlast" */
	const char *comment = strstr(operands, "//");
	const char *last = memrchr(operands, ',', comment ? (size_t)(comment - operands) :
							    strlen(operands));
	uint64_t target;
	char *end;

	last = last ? last + 1 : operands;
	last += strspn(last, " \t");
	if (strncmp(last, "0x", 2))
		return UINT64_MAX;
	target = strtoull(last, &end, 16);
	return *end && *end != ' ' ? UINT64_MAX : target;
}

enum pp_flow pp_insn_flow(const char *text, uint64_t *target)
{
	size_t len = strcspn(text, " \t");

	while (is_prefix(text, len) && text[len]) {
		text += len + strspn(text + len, " \t");
		len = strcspn(text, " \t");
	}
	*target = UINT64_MAX;
	if (!is_jump(text, len))
		return PP_FLOW_NEXT;
	*target = target_of(text + len);
	return PP_FLOW_JUMP;
}

static void begin_block(struct pp_insns *insns, uint64_t vma)
{
	size_t at = op_partition_point(i, insns->nr, insns->items[i].vma < vma);

	if (at < insns->nr && insns->items[at].vma == vma)
		insns->items[at].begins_block = true;
}

int pp_insns_read(struct pp_insns *ret, struct pp_disasm *disasm, const uint8_t *code, size_t size,
		  uint64_t vma)
{
	struct pp_insns insns = { .items = NULL };
	uint64_t *targets = NULL, target;
	size_t nr_targets = 0;
	bool begins = true;
	int err = 0;

	for (size_t at = 0, len; at < size && !err; at += len) {
		const char *text;

		len = pp_disasm_insn(disasm, code + at, size - at, vma + at, &text);
		err = op_grow(&insns.items, insns.nr);
		if (err)
			break;
		insns.items[insns.nr++] = (struct pp_insn){ vma + at, len, begins };
		begins = pp_insn_flow(text, &target) == PP_FLOW_JUMP;
		if (target < vma || target - vma >= size)
			continue;
		err = op_grow(&targets, nr_targets);
		if (!err)
			targets[nr_targets++] = target;
	}
	for (size_t i = 0; i < nr_targets && !err; i++)
		begin_block(&insns, targets[i]);
	free(targets);
	if (err)
		pp_insns_release(&insns);
	else
		*ret = insns;
	return err;
}

void pp_insns_release(struct pp_insns *insns)
{
	free(insns->items);
	*insns = (struct pp_insns){ .items = NULL };
}
