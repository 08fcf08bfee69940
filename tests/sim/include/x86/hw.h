/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/hw.h -- replaces module/x86/hw.h: the same functions, for the simulated CPU in
 * tests/sim/cpu.c.
 */
#ifndef OPROFILE_X86_HW_H
#define OPROFILE_X86_HW_H

#include <linux/types.h>

struct oprofile_cpuid {
	u32 eax, ebx, ecx, edx;
};

u64 oprofile_rdmsr(u32 msr);
void oprofile_wrmsr(u32 msr, u64 value);
bool oprofile_rdmsr_safe(u32 msr, u64 *ret);
bool oprofile_wrmsr_safe(u32 msr, u64 value);
struct oprofile_cpuid oprofile_cpuid(u32 leaf, u32 subleaf);
u32 oprofile_pmi_read(void);
void oprofile_pmi_write(u32 entry);
bool oprofile_ibs_by_nmi(u32 offset);
u64 oprofile_hw_ns(void);
void oprofile_hw_wait_us(void);

#endif
