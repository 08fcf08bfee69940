// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shadow.c -- a shadow stack of a single-stepped program, updated only from observed calls, returns
 * and signals.
 */
#include "tests/paths/shadow.h"

enum shadow_kind shadow_kind(struct world *world)
{
	unsigned char code[16] = { 0 };
	size_t nr = world_code(world, world->regs.rip, code, sizeof(code) - 2), at = 0;

	/* skip the instruction's prefixes and, in 64-bit code, REX */
	for (; at < nr; at++) {
		unsigned char byte = code[at];

		if (byte != 0x66 && byte != 0x67 && byte != 0xf2 && byte != 0xf3 && byte != 0x2e && byte != 0x3e &&
		    byte != 0x64 && byte != 0x65 && (world->machine != OPROFILE_UW_X86_64 || byte >> 4 != 4))
			break;
	}
	if (code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2))
		return SHADOW_CALL;
	if (code[at] == 0xc3 || code[at] == 0xc2)
		return SHADOW_RETURN;
	if ((code[at] == 0x0f && (code[at + 1] == 0x05 || code[at + 1] == 0x34)) ||
	    (code[at] == 0xcd && code[at + 1] == 0x80))
		return SHADOW_SYSTEM;
	return SHADOW_OTHER;
}

static void push(struct shadow *shadow, uint64_t slot, uint64_t pc)
{
	if (shadow->nr < sizeof(shadow->frames) / sizeof(shadow->frames[0]))
		shadow->frames[shadow->nr++] = (struct world_frame){ slot, pc };
}

void shadow_step(struct shadow *shadow, struct world *world, enum shadow_kind kind,
		 const struct user_regs_struct *before)
{
	uint64_t sp = world->regs.rsp, pc;

	if (kind == SHADOW_RETURN && shadow->nr && shadow->frames[shadow->nr - 1].slot == before->rsp &&
	    shadow->frames[shadow->nr - 1].pc != world->regs.rip)
		shadow->wrong_returns++;
	while (shadow->nr && shadow->frames[shadow->nr - 1].slot < sp)
		shadow->nr--;
	/* A call to the next instruction only reads the program counter, so it adds no frame. */
	if (kind == SHADOW_CALL && world_word(world, sp, &pc) && pc != world->regs.rip)
		push(shadow, sp, pc);
}

/*
 * Find the address *@slot where the kernel has stored the interrupted pc @pc. It has a known
 * distance from the handler's return address.
 */
static bool interrupted_at(struct world *world, uint64_t pc, uint64_t *slot)
{
	static const unsigned int x86_64[] = { 8 + 168 }, i386[] = { 4 + 160 + 56, 8 + 56 };
	bool wide = world->machine == OPROFILE_UW_X86_64;
	uint64_t saved;

	for (int i = 0; i < (wide ? 1 : 2); i++) {
		*slot = world->regs.rsp + (wide ? x86_64[i] : i386[i]);
		/* If the kernel will restart a system call, the stored pc is two bytes lower. */
		if (world_word(world, *slot, &saved) && (saved == pc || saved + 2 == pc))
			return true;
	}
	return false;
}

bool shadow_signal(struct shadow *shadow, struct world *world, const struct user_regs_struct *before)
{
	uint64_t slot, pc, back;

	if (!interrupted_at(world, before->rip, &slot) || !world_word(world, slot, &pc) ||
	    !world_word(world, world->regs.rsp, &back))
		return false;
	push(shadow, slot, pc);
	push(shadow, world->regs.rsp, back);
	return true;
}
