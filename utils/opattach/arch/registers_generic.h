/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers_generic.h -- fallback for machines without support for calling functions in other
 * processes: processes are only sampled from outside.
 */
#ifndef UTILS_OPATTACH_ARCH_REGISTERS_GENERIC_H
#define UTILS_OPATTACH_ARCH_REGISTERS_GENERIC_H

#include <elf.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __aarch64__
#define ATTACH_ARCH_ELF		EM_AARCH64
#else
#define ATTACH_ARCH_ELF		EM_NONE
#endif
#define ATTACH_ARCH_MACHINE	0	/* unknown machine type, so stacks are not walked */
#define ATTACH_ARCH_CALLS	0
#define ATTACH_ARCH_PERF_REGS	0
#define ATTACH_ARCH_NR_PERF_REGS	1

struct attach_regs { uint64_t pc; };

static inline uint64_t attach_arch_pc(const struct attach_regs *r) { return r->pc; }
static inline uint64_t attach_arch_sp(const struct attach_regs *r) { (void)r; return 0; }
static inline uint64_t attach_arch_fp(const struct attach_regs *r) { (void)r; return 0; }
static inline uint64_t attach_arch_register(const struct attach_regs *r, unsigned int n)
{
	(void)r;
	(void)n;
	return 0;
}
static inline bool attach_arch_in_call(const struct attach_regs *r) { (void)r; return false; }

static inline struct attach_regs attach_arch_from_perf(const uint64_t *v)
{
	return (struct attach_regs){v[0]};
}

#endif
