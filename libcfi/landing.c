// SPDX-License-Identifier: GPL-2.0-or-later
/* landing.c -- detection of code in which stacks cannot be unwound: the end of a function that
 * passes an exception to its handler. */
#include "libcfi/landing.h"

/* The last call but one of the function overwrites the saved registers. One more call may follow
 * after the end of the function. So the registers are still valid if more than two calls follow. */
#define CALLS_AFTER	2

/* Set *@size to the length in bytes of a direct call instruction, and *@step to its alignment. */
static void call_size(unsigned int machine, unsigned int *size, unsigned int *step)
{
	*size = machine == OPROFILE_UW_AARCH64 ? 4 : 5;
	*step = machine == OPROFILE_UW_AARCH64 ? 4 : 1;
}

static bool call_target(unsigned int machine, const unsigned char *code, __u64 pc, __u64 *target)
{
	__u32 word;
	__s32 by;

	if (machine == OPROFILE_UW_AARCH64) {
		__builtin_memcpy(&word, code, sizeof(word));
		*target = pc + (__s64)((__s32)(word << 6) >> 4);
		return word >> 26 == 0x25;
	}
	__builtin_memcpy(&by, code + 1, sizeof(by));
	*target = pc + 5 + by;
	if (machine == OPROFILE_UW_I386)
		*target &= 0xffffffff;
	return code[0] == 0xe8;
}

bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc,
		    __u64 to)
{
	unsigned int size, step, behind = 0;
	__u64 target, from, end;

	call_size(section->machine, &size, &step);
	/*
	 * Count the calls from @pc to the end of the function. Count a call only if its target
	 * is the start of a function, because bytes inside another instruction may look like a
	 * call.
	 */
	for (; pc + size <= to && behind <= CALLS_AFTER; pc += step, code += step)
		behind += call_target(section->machine, code, pc, &target) &&
			  !cfi_function_at(section, target, &from, &end) && from == target;
	return behind <= CALLS_AFTER;
}
