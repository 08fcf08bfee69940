/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers_x86_64.h -- the registers of a stopped thread, on x86_64.
 */
#ifndef UTILS_OPATTACH_ARCH_REGISTERS_X86_64_H
#define UTILS_OPATTACH_ARCH_REGISTERS_X86_64_H

#include <elf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "module/uapi/unwind.h"

#define ATTACH_ARCH_ELF		EM_X86_64
#define ATTACH_ARCH_MACHINE	OPROFILE_UW_X86_64
#define ATTACH_ARCH_CALLS	1

/* The registers in the layout that the kernel uses for ptrace(2) (struct user_regs_struct). */
struct attach_regs {
	struct user_regs_struct user;
};

static inline uint64_t attach_arch_pc(const struct attach_regs *r)
{
	return r->user.rip;
}

static inline uint64_t attach_arch_sp(const struct attach_regs *r)
{
	return r->user.rsp;
}

static inline uint64_t attach_arch_fp(const struct attach_regs *r)
{
	return r->user.rbp;
}

/* Return whether the thread was stopped in a system call, which it will continue or restart. */
static inline bool attach_arch_in_call(const struct attach_regs *r)
{
	return (long)r->user.orig_rax >= 0;
}

/* Return the register with DWARF number @number. */
static inline uint64_t attach_arch_register(const struct attach_regs *r, unsigned int number)
{
	const struct user_regs_struct *u = &r->user;
	const uint64_t all[] = {
		u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp,
		u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15,
	};

	return all[number & 15];
}

/* Bit mask of the registers that a stack walk may need, by their numbers in perf_events: 0 to 8 and
 * 16 to 23. Samples have the registers in that order. */
#define ATTACH_ARCH_PERF_REGS		0xff01ffULL
#define ATTACH_ARCH_NR_PERF_REGS	17

static inline struct attach_regs attach_arch_from_perf(const uint64_t v[ATTACH_ARCH_NR_PERF_REGS])
{
	struct attach_regs r = {.user = {
					.rax = v[0],
					.rbx = v[1],
					.rcx = v[2],
					.rdx = v[3],
					.rsi = v[4],
					.rdi = v[5],
					.rbp = v[6],
					.rsp = v[7],
					.rip = v[8],
					.r8 = v[9],
					.r9 = v[10],
					.r10 = v[11],
					.r11 = v[12],
					.r12 = v[13],
					.r13 = v[14],
					.r14 = v[15],
					.r15 = v[16],
					.orig_rax = -1,
				}};

	return r;
}

#endif
