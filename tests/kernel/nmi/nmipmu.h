/* SPDX-License-Identifier: GPL-2.0 */
/* nmipmu.h -- counters that a module simulates, in place of a CPU's counters. */
#ifndef NMIPMU_H
#define NMIPMU_H

#include <linux/types.h>

struct oprofile_cpuid {
	u32 eax, ebx, ecx, edx;
};

u64 nmipmu_rdmsr(u32 msr);
void nmipmu_wrmsr(u32 msr, u64 value);
void nmipmu_cpuid(u32 leaf, u32 subleaf, struct oprofile_cpuid *ret);

/* Return the number of CPUs that have an enabled counter. */
int nmipmu_counting(void);

#endif
