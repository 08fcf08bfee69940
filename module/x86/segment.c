// SPDX-License-Identifier: GPL-2.0
/*
 * x86/segment.c -- linear addresses in code segments that a program has created (Wine and other
 * emulators). In such segments the program counter is relative to the segment's base.
 *
 * Such a segment is in the process's local descriptor table (LDT). In the global descriptor table,
 * programs can change only data segments, and all code segments begin at 0.
 */
#include "segment.h"

#include <linux/sched.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>

#ifdef CONFIG_MODIFY_LDT_SYSCALL
/*
 * Return the base of segment @index in the local descriptor table. Safe in an NMI: a table does not
 * change after it was installed, because modify_ldt() installs a new one. Before it frees the old
 * table, it sends an IPI to all CPUs that use this address space. This CPU is one of them, because
 * it was in user mode when it was interrupted. It takes no IPI before this function returns. When
 * the address space is destroyed, no CPU is in its user mode any more.
 */
static unsigned long base_of(unsigned int index)
{
	const struct ldt_struct *ldt = READ_ONCE(current->mm->context.ldt);

	/* The table may be newer than the one that the CPU has loaded, because another thread
	 * may just have installed it. */
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

unsigned long oprofile_segment_pc(struct pt_regs *regs)
{
	/* Truncate the sum to 32 bits, because the kernel allows only 32-bit code segments in a
	 * local descriptor table. */
	return (u32)(base_of((u16)regs->cs >> 3) + instruction_pointer(regs));
}
