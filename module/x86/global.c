// SPDX-License-Identifier: GPL-2.0
/*
 * x86/global.c -- the global control and status registers of AMD since Zen 4 (PerfMonV2) and of
 * Intel since version 2.
 *
 * When counting starts, this file reads from the registers the bits of counters that belong to
 * other users. Later writes to the registers preserve these bits.
 */
#include "x86/hw.h"
#include "x86/pmu.h"

/* Clear the overflow bits of @counters in the status register, and return the bits that were set.
 * Also clear the freeze bits, because they keep the counters stopped. */
u64 oprofile_global_clear(const struct oprofile_pmu *p, u64 counters)
{
	u64 status = oprofile_rdmsr(p->status_msr) & (counters | p->freezes);

	if (status)
		oprofile_wrmsr(p->clear_msr, status);
	return status & counters;
}

void oprofile_global_begin(struct oprofile_pmu *p)
{
	p->foreign_global = oprofile_rdmsr(p->global_msr) & ~p->owned;
	oprofile_wrmsr(p->global_msr, p->foreign_global);
	oprofile_global_clear(p, p->owned);	/* discard overflows from before the start */
}

void oprofile_global_enable(struct oprofile_pmu *p)
{
	oprofile_wrmsr(p->global_msr, p->foreign_global | p->active);
}

void oprofile_global_disable(struct oprofile_pmu *p)
{
	oprofile_wrmsr(p->global_msr, p->foreign_global);
}

/*
 * Disable this module's counters, clear their overflow bits, and begin new periods of the counters
 * that have overflowed. Between these steps, a counter can overflow only if an earlier overflow
 * takes effect with a delay.
 */
u64 oprofile_global_collect(struct oprofile_pmu *p)
{
	oprofile_global_disable(p);
	oprofile_global_clear(p, p->armed);
	return oprofile_pmu_rearm_wrapped(p);
}

void oprofile_global_save(struct oprofile_pmu *p)
{
	p->saved_global = oprofile_rdmsr(p->global_msr);
}

void oprofile_global_restore(struct oprofile_pmu *p)
{
	u64 others = oprofile_rdmsr(p->global_msr) & ~p->owned;

	oprofile_global_clear(p, p->owned);
	oprofile_wrmsr(p->global_msr, others | (p->saved_global & p->owned));
}
