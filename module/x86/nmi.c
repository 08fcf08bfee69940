// SPDX-License-Identifier: GPL-2.0
/*
 * x86/nmi.c -- the counters' NMI handler, and starting and stopping the counters of a CPU.
 *
 * The module uses the local APIC's LVTPC entry only while counters count; IBS has a separate entry.
 */
#include "x86/native.h"

#include <asm/nmi.h>
#include <linux/delay.h>

#include "handler.h"
#include "period.h"
#include "sampling.h"

/* The backend that is counting. Global, because an NMI handler has no context argument. */
static struct native_backend *active;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct native_backend *b = READ_ONCE(active);
	struct native_cpu *nc;
	u32 events, claimed, halved;
	u64 begin;

	if (!b)
		return NMI_DONE;
	nc = this_cpu_ptr(b->cpu);
	if (!nc->counting && !nc->pmu.owed)
		return NMI_DONE;
	if (unlikely(READ_ONCE(b->dead))) {
		bool counted = oprofile_pmu_kill(&nc->pmu);

		return oprofile_ibs_kill(&nc->ibs) || counted ? NMI_HANDLED : NMI_DONE;
	}
	begin = oprofile_interrupt_begin(b->s);
	halved = nc->pmu.pace.halved;
	claimed = oprofile_pmu_handle_nmi(&nc->pmu, oprofile_ibs_nmi(b, nc, regs), &events);
	while (events) {
		oprofile_add_sample(b->s, regs, __ffs(events), 1);
		events &= events - 1;
	}
	oprofile_pmu_resume(&nc->pmu);
	if (unlikely(nc->pmu.pace.halved != halved))
		this_cpu_inc(b->s->cpu->stats.governor_throttled);
	/* A late NMI may come before the governor is started, so check whether the counters of this
	 * CPU are running. */
	if (claimed && nc->counting)
		oprofile_interrupt_end(b->s, begin);
	return claimed;
}

/* Stop the counters. Count overflows whose interrupts came too late as missed. */
static void stop_counters(struct oprofile_sampling *s, struct native_cpu *nc)
{
	u64 lost = nc->pmu.lost;

	oprofile_pmu_stop(&nc->pmu);
	this_cpu_add(s->cpu->stats.overflow_missed, nc->pmu.lost - lost);
}

void oprofile_native_start_here(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	if (!nc->pmu.saved || nc->counting || READ_ONCE(b->asleep) || READ_ONCE(b->dead))
		return;
	nc->counting = true;
	oprofile_pmu_start(&nc->pmu, this_cpu_read(s->cpu->group));
	oprofile_ibs_start_here(nc);
}

void oprofile_native_stop_here(struct oprofile_sampling *s)
{
	struct native_cpu *nc = this_cpu_ptr(s->native->cpu);
	u32 lost = nc->ibs.lost;

	if (!nc->counting)
		return;
	oprofile_ibs_stop_here(nc);
	this_cpu_add(s->cpu->stats.overflow_missed, nc->ibs.lost - lost);
	stop_counters(s, nc);
	nc->counting = false;
}

void oprofile_native_switch_group(struct oprofile_sampling *s)
{
	struct native_cpu *nc = this_cpu_ptr(s->native->cpu);

	if (!nc->counting)
		return;
	stop_counters(s, nc);
	oprofile_pmu_start(&nc->pmu, this_cpu_read(s->cpu->group));
}

int oprofile_native_register_nmi(struct native_backend *b)
{
	int err;

	WRITE_ONCE(active, b);
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "oprofile");
	if (err)
		WRITE_ONCE(active, NULL);
	return err;
}

void oprofile_native_unregister_nmi(struct native_backend *b)
{
	/* Late NMIs may still come, so keep the handler registered for a while. */
	fsleep(b->pmu.model->late_ns / NSEC_PER_USEC);
	unregister_nmi_handler(NMI_LOCAL, "oprofile");
	WRITE_ONCE(active, NULL);
}
