/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- fallback for CPUs without a directory here: stacks are not walked, so a call path
 * has only its leaf.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	0
/* Types of the relocations for the address of an imported function; 0: unknown. */
#define ARCH_JUMP_SLOT	0
#define ARCH_GLOB_DAT	0

static inline uint64_t arch_register(const void *context, unsigned int number)
{
	(void)context;
	(void)number;
	return 0;
}

static inline void arch_here(ucontext_t *c)
{
	(void)c;
}

static inline uint64_t arch_sp(const void *context)
{
	(void)context;
	return 0;
}

static inline uint64_t arch_fp(const void *context)
{
	(void)context;
	return 0;
}

/* Return 0: the register that may contain a return address is not known. */
static inline uint64_t arch_link(const void *context)
{
	(void)context;
	return 0;
}

/* Store pc 0 (unknown): the caller's registers are not available on this CPU. */
static inline void arch_caller(struct arch_caller *caller)
{
	*caller = (struct arch_caller){ 0, 0, 0 };
}

#endif
