// SPDX-License-Identifier: GPL-2.0
/*
 * x86/pmu_period.c -- the counters' period, with jitter and the governor's factor.
 */
#include "period.h"
#include "x86/native.h"

u64 oprofile_pmu_period(struct oprofile_pmu *p, u32 event)
{
	return oprofile_next_period(container_of(p, struct native_cpu, pmu)->s, event);
}
