/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/hw.h -- access of the models to the hardware: registers, CPUID, the interrupt of the
 * counters, time. Models access hardware only by this file, so tests can replace it by a simulated
 * CPU.
 *
 * All functions access the current CPU; the caller must prevent migration. Unless noted, they may
 * be called in NMIs.
 */
#ifndef OPROFILE_X86_HW_H
#define OPROFILE_X86_HW_H

#include <asm/msr.h>
#include <asm/processor.h>
#include <linux/delay.h>
#include <linux/timekeeping.h>

#include "compat/compat_x86.h"
#include "x86/lvtpc.h"

struct oprofile_cpuid {
	u32 eax, ebx, ecx, edx;
};

static inline u64 oprofile_rdmsr(u32 msr)
{
	u64 value;

	rdmsrq(msr, value);
	return value;
}

static inline void oprofile_wrmsr(u32 msr, u64 value)
{
	wrmsrq(msr, value);
}

/* Read the register. Return false if it does not exist. Must not be called in an NMI. */
static inline bool oprofile_rdmsr_safe(u32 msr, u64 *ret)
{
	return !rdmsrq_safe(msr, ret);
}

static inline bool oprofile_wrmsr_safe(u32 msr, u64 value)
{
	return !wrmsrq_safe(msr, value);
}

static inline struct oprofile_cpuid oprofile_cpuid(u32 leaf, u32 subleaf)
{
	struct oprofile_cpuid r;

	cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
	return r;
}

/* Read and write the local APIC's LVTPC entry, the interrupt of the counters. */
static inline u32 oprofile_pmi_read(void)
{
	return oprofile_lvtpc_read();
}

static inline void oprofile_pmi_write(u32 entry)
{
	oprofile_lvtpc_write(entry);
}

/*
 * Set up the extended interrupt @offset of AMD's APIC for IBS as an NMI, as the kernel's perf
 * does at boot. Return false if the kernel uses this extended interrupt for another purpose.
 * Idempotent.
 */
static inline bool oprofile_ibs_by_nmi(u32 offset)
{
	return !setup_APIC_eilvt(offset, 0, APIC_DELIVERY_MODE_NMI, 0);
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
