/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/lvtpc.h -- access to LVTPC, the local APIC's entry for the counters' interrupt. The kernel
 * does not export apic_write(), so this file writes the register by MSR in x2APIC mode, and by
 * memory otherwise.
 */
#ifndef OPROFILE_X86_LVTPC_H
#define OPROFILE_X86_LVTPC_H

#include <asm/apic.h>
#include <asm/apicdef.h>
#include <asm/msr.h>

#include "compat/compat_x86.h"

/* number of the entry's register in x2APIC mode */
#define OPROFILE_LVTPC_MSR	(APIC_BASE_MSR + (APIC_LVTPC >> 4))

/* Read the current CPU's LVTPC entry. */
static inline u32 oprofile_lvtpc_read(void)
{
	u64 value;

	if (!x2apic_mode)
		return native_apic_mem_read(APIC_LVTPC);
	rdmsrq(OPROFILE_LVTPC_MSR, value);
	return value;
}

static inline void oprofile_lvtpc_write(u32 value)
{
	if (x2apic_mode)
		wrmsr(OPROFILE_LVTPC_MSR, value, 0);
	else
		native_apic_mem_write(APIC_LVTPC, value);
}

#endif
