// SPDX-License-Identifier: GPL-2.0
/*
 * x86/reserve.c -- reservation of counter registers in the kernel.
 */
#include "x86/reserve.h"

#include <asm/nmi.h>

#include "x86/pmu.h"

#define GENERAL		GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0)

static bool reserve(const struct oprofile_pmu *p, u32 counter)
{
	if (!reserve_perfctr_nmi(p->counter_msr + counter * p->msr_step))
		return false;
	if (reserve_evntsel_nmi(p->control_msr + counter * p->msr_step))
		return true;
	release_perfctr_nmi(p->counter_msr + counter * p->msr_step);
	return false;
}

u64 oprofile_reserve_counters(const struct oprofile_pmu *p, u64 counters)
{
	u64 rest = counters & GENERAL, got = 0;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		if (reserve(p, counter))
			got |= BIT_ULL(counter);
	}
	if (got == (counters & GENERAL))
		got |= counters & ~GENERAL;
	return got;
}

void oprofile_release_counters(const struct oprofile_pmu *p, u64 counters)
{
	u64 rest = counters & GENERAL;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		release_evntsel_nmi(p->control_msr + counter * p->msr_step);
		release_perfctr_nmi(p->counter_msr + counter * p->msr_step);
	}
}
