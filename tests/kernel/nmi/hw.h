/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hw.h -- replaces module/x86/hw.h, for virtual machines without counters: accesses the simulated
 * counters of nmipmu.c. The real registers are also read and written if they exist; the APIC is
 * real.
 */
#ifndef OPROFILE_X86_HW_H
#define OPROFILE_X86_HW_H

#include <linux/delay.h>
#include <linux/timekeeping.h>

#include "x86/lvtpc.h"
#include "nmipmu.h"

static inline u64 oprofile_rdmsr(u32 msr)
{
	return nmipmu_rdmsr(msr);
}

static inline void oprofile_wrmsr(u32 msr, u64 value)
{
	nmipmu_wrmsr(msr, value);
}

static inline bool oprofile_rdmsr_safe(u32 msr, u64 *ret)
{
	*ret = nmipmu_rdmsr(msr);
	return true;
}

static inline bool oprofile_wrmsr_safe(u32 msr, u64 value)
{
	nmipmu_wrmsr(msr, value);
	return true;
}

static inline struct oprofile_cpuid oprofile_cpuid(u32 leaf, u32 subleaf)
{
	struct oprofile_cpuid r;

	nmipmu_cpuid(leaf, subleaf, &r);
	return r;
}

static inline u32 oprofile_pmi_read(void)
{
	return oprofile_lvtpc_read();
}

static inline void oprofile_pmi_write(u32 entry)
{
	oprofile_lvtpc_write(entry);
}

/* Return false, because QEMU's APIC has no extended interrupts, which IBS uses. */
static inline bool oprofile_ibs_by_nmi(u32 offset)
{
	return offset == 0;
}

static inline u64 oprofile_hw_ns(void)
{
	return ktime_get_mono_fast_ns();
}

static inline void oprofile_hw_wait_us(void)
{
	udelay(1);
}

#endif
