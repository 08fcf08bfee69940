/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h -- reading the pc of an interrupted thread from the context of a signal handler, on
 * i386.
 */
#ifndef PROBE_ARCH_CONTEXT_H
#define PROBE_ARCH_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t arch_pc(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_EIP];
}

#endif
