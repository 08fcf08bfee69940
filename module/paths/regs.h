/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/regs.h -- user registers by DWARF's numbers, and other details of walking that depend on
 * the architecture.
 */
#ifndef OPROFILE_PATHS_REGS_H
#define OPROFILE_PATHS_REGS_H

#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "uapi/unwind.h"

#ifdef CONFIG_ARM64
#include <asm/unistd.h>
#endif

#ifdef CONFIG_X86_64
#include <asm/segment.h>
#include <asm/vdso.h>

/* Return the machine of the user code; 0: code in a segment with a base, whose addresses cannot
 * be looked up. */
static inline unsigned int oprofile_user_machine(const struct pt_regs *regs)
{
	if (likely((u16)regs->cs == __USER_CS))
		return OPROFILE_UW_X86_64;
	return (u16)regs->cs == __USER32_CS ? OPROFILE_UW_I386 : 0;
}

static inline u64 oprofile_user_register(const struct pt_regs *regs, unsigned int machine,
					 unsigned int number)
{
	static const u8 x86_64[16] = {
#define AT(name) (offsetof(struct pt_regs, name) / 8)
		AT(ax), AT(dx), AT(cx), AT(bx), AT(si), AT(di), AT(bp), AT(sp),
		AT(r8), AT(r9), AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15),
	};
	static const u8 i386[8] = {
		AT(ax), AT(cx), AT(dx), AT(bx), AT(sp), AT(bp), AT(si), AT(di),
#undef AT
	};
	const unsigned long *words = (const unsigned long *)regs;

	if (machine == OPROFILE_UW_I386)
		return (u32)words[i386[number & 7]];
	return words[x86_64[number & 15]];
}

static inline u64 oprofile_strip_user(u64 pc)
{
	return pc;
}

static inline bool oprofile_in_sigreturn(const struct pt_regs *regs)
{
	return false;	/* sigreturn is not detected on this architecture */
}

/* Return whether the vDSO of @mm, whose lock is held, is the one for 32-bit programs. Other
 * architectures have no separate vDSO for 32-bit programs. */
static inline bool oprofile_vdso_is_32(const struct mm_struct *mm)
{
	return mm->context.vdso_image && mm->context.vdso_image->sym___kernel_vsyscall;
}

/* Copy user memory in an NMI that may have interrupted a change of memory maps. Return nonzero if
 * the memory cannot be read now. */
static inline unsigned long oprofile_copy_from_user_carefully(void *to, const void __user *from,
							      unsigned long size)
{
	return copy_from_user_nmi(to, from, size);
}
#else
static inline unsigned int oprofile_user_machine(const struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return compat_user_mode(regs) ? 0 : OPROFILE_UW_AARCH64;
#else
	return 0;
#endif
}

static inline u64 oprofile_user_register(const struct pt_regs *regs, unsigned int machine,
					 unsigned int number)
{
#ifdef CONFIG_ARM64
	return number == 31 ? regs->sp : regs->regs[number & 31];
#else
	return 0;
#endif
}

/* Return whether the task is in the system call rt_sigreturn(2), at the end of a signal handler;
 * false in user mode. */
static inline bool oprofile_in_sigreturn(const struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return regs->syscallno == __NR_rt_sigreturn;
#else
	return false;
#endif
}

/* Remove pointer authentication and tag bits from a user address. */
static inline u64 oprofile_strip_user(u64 pc)
{
	return pc & GENMASK_ULL(54, 0) & (TASK_SIZE_MAX - 1);
}

static inline bool oprofile_vdso_is_32(const struct mm_struct *mm)
{
	return false;
}

static inline unsigned long oprofile_copy_from_user_carefully(void *to, const void __user *from,
							      unsigned long size)
{
	return size;
}
#endif

#endif
