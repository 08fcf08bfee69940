// SPDX-License-Identifier: GPL-2.0
/*
 * x86/segment.c -- addresses in code segments that a program has made (Wine and other emulators):
 * the program counter is relative to the segment's base.
 *
 * Such a segment is in the process's local descriptor table (LDT). In the global table a program
 * can change only data segments, and code segments begin at 0.
 */
#include "segment.h"

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#ifdef CONFIG_MODIFY_LDT_SYSCALL
/*
 * Return the base of segment @index in the local descriptor table. The table may be read even in an
 * NMI. A published table does not change: modify_ldt() replaces the table. Before it frees the old
 * table, it sends an interrupt to all CPUs that use this memory. This CPU is one of them, because
 * it was in user mode, and it takes no interrupt before this function returns. When a process
 * exits, no CPU is in its user mode any more.
 */
static unsigned long base_of(unsigned int index)
{
	const struct ldt_struct *ldt = READ_ONCE(current->mm->context.ldt);

	/* Another thread may have installed a longer table after the instruction, while this CPU
	 * still uses the old table. */
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
	/* The sum has 32 bits, because the kernel allows no 64-bit code segment in a local
	 * descriptor table. */
	return (u32)(base_of(segment >> 3) + instruction_pointer(regs));
}
