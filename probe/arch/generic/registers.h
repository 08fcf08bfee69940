/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- what a walk up the stack begins with: nobody has written that for the CPU. Paths are their leaf.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	0
/* Of <elf.h>: how modules ask the loader for a function. 0: it is not known. */
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

/* There is no register that frames return by. */
static inline uint64_t arch_link(const void *context)
{
	(void)context;
	return 0;
}

/* As on x86_64; not here. */
static inline void arch_caller(struct arch_caller *caller)
{
	*caller = (struct arch_caller){ 0, 0, 0 };
}

#endif
