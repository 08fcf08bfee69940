// SPDX-License-Identifier: GPL-2.0
/*
 * x86/segment.c -- code segments that a program made for itself (Wine's, other emulators'): what the
 * program counter says is to be added to their base.
 *
 * Such a segment is in the process's local descriptor table (LDT): of the global one a program may
 * change entries for data only, and the code segments there begin at 0.
 */
#include "segment.h"

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#ifdef CONFIG_MODIFY_LDT_SYSCALL
/*
 * The table may be followed, from NMI as well: none is changed once it is in force. A new one takes its
 * place, and before modify_ldt() frees the old one it has all CPUs that have this memory loaded take an
 * interrupt. This CPU has: it was in user mode. It takes no interrupt before we return, and when the
 * whole process is gone, nobody is in its user mode any more.
 */
static unsigned long base_of(unsigned int index)
{
	const struct ldt_struct *ldt = READ_ONCE(current->mm->context.ldt);

	/* Another thread may just have installed a table without this entry, and this CPU has the old one in use still. */
	if (!ldt || index >= ldt->nr_entries)
		return 0;
	return get_desc_base(&ldt->entries[index]);
}
#else
static unsigned long base_of(unsigned int index)
{
	return 0;
}
#endif

unsigned long oprofile_user_pc(struct pt_regs *regs)
{
	unsigned int segment = (u16)regs->cs;

	if (likely((segment & SEGMENT_TI_MASK) != SEGMENT_LDT))
		return instruction_pointer(regs);
	/* The sum has 32 bits: the kernel allows no segment of 64-bit code in this table. */
	return (u32)(base_of(segment >> 3) + instruction_pointer(regs));
}
