// SPDX-License-Identifier: GPL-2.0
/*
 * x86/counters.c -- operations on counters of all models.
 */
#include "x86/pmu.h"

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "x86/hw.h"

#define FIXED_CTR0	0x309

void oprofile_pmu_unmask(void)
{
	oprofile_pmi_write(OPROFILE_PMI_NMI);
}

u64 oprofile_pmu_read(const struct oprofile_pmu *p, u32 counter)
{
	u32 msr = counter < OPROFILE_PMU_FIXED ? p->counter_msr + counter * p->msr_step :
		  FIXED_CTR0 + counter - OPROFILE_PMU_FIXED;

	return oprofile_rdmsr(msr) & oprofile_pmu_width(p, counter);
}

void oprofile_pmu_write(const struct oprofile_pmu *p, u32 counter, u64 value)
{
	u32 msr = counter < OPROFILE_PMU_FIXED ? p->write_msr + counter * p->msr_step :
		  FIXED_CTR0 + counter - OPROFILE_PMU_FIXED;

	oprofile_wrmsr(msr, value & oprofile_pmu_width(p, counter));
}

/* Write to the counter the value with which it overflows after @rest more events. */
static void write_rest(const struct oprofile_pmu *p, u32 counter, u64 rest)
{
	oprofile_pmu_write(p, counter, -max(min(rest, BIT_ULL(p->period_bits) - 1),
					    (u64)OPROFILE_PMU_LEAST));
}

/* Begin a new period of the counter: write its start value. */
static void rearm(struct oprofile_pmu *p, u32 counter)
{
	u64 period = oprofile_pmu_period(p, p->event_of[oprofile_pmu_slot(counter)]);

	write_rest(p, counter, period << p->pace.shift);
}

static bool is_wrapped(const struct oprofile_pmu *p, u32 counter, u64 value)
{
	return !(value & ~(oprofile_pmu_width(p, counter) >> 1));
}

/* Return the subset of @counters that have overflowed. Counters count up from minus the period, so
 * the highest bit of an overflowed counter is 0. */
static u64 find_wrapped(const struct oprofile_pmu *p, u64 counters)
{
	u64 wrapped = 0;

	while (counters) {
		u32 counter = oprofile_pmu_next(&counters);

		if (is_wrapped(p, counter, oprofile_pmu_read(p, counter)))
			wrapped |= BIT_ULL(counter);
	}
	return wrapped;
}

u64 oprofile_pmu_rearm_wrapped(struct oprofile_pmu *p)
{
	u64 wrapped = find_wrapped(p, p->armed), rest;

	for (rest = wrapped; rest; )
		rearm(p, oprofile_pmu_next(&rest));
	return wrapped;
}

void oprofile_pmu_save(struct oprofile_pmu *p, u64 reserved)
{
	u64 rest;

	p->owned = p->counters & reserved;
	p->owned &= ~p->model->busy(p);
	if (p->model->save)
		p->model->save(p);
	for (rest = p->owned; rest; ) {
		u32 counter = oprofile_pmu_next(&rest);

		if (counter < OPROFILE_PMU_FIXED)
			p->saved_control[counter] =
				oprofile_rdmsr(oprofile_pmu_control_msr(p, counter));
		p->saved_counter[oprofile_pmu_slot(counter)] = oprofile_pmu_read(p, counter);
	}
	p->saved = true;
}

void oprofile_pmu_restore(struct oprofile_pmu *p)
{
	u64 rest = p->owned;

	if (!p->saved)
		return;
	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		oprofile_pmu_write(p, counter, p->saved_counter[oprofile_pmu_slot(counter)]);
		if (counter < OPROFILE_PMU_FIXED)
			oprofile_wrmsr(oprofile_pmu_control_msr(p, counter),
				       p->saved_control[counter]);
	}
	if (p->model->restore)
		p->model->restore(p);
	p->saved = false;
}

const char *oprofile_pmu_encode(const struct oprofile_pmu_event *e, u32 extra, u64 *ret)
{
	if (e->extra & ~extra)
		return "the event needs bits of the event-select register that this CPU does not "
		       "have";
	if (e->unit_mask & ~0xffU)
		return "unit masks of this CPU have 8 bits";
	*ret = (e->code & 0xff) | e->unit_mask << 8 | e->extra | OPROFILE_EVTSEL_INT |
	       (e->kernel ? OPROFILE_EVTSEL_KERNEL : 0) | (e->user ? OPROFILE_EVTSEL_USER : 0);
	return NULL;
}

const char *oprofile_pmu_refuse(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
				u64 reserved)
{
	u64 control;

	if (e->counter >= 64 || !(p->counters & BIT_ULL(e->counter)))
		return "this CPU has no such counter";
	if (!(reserved & BIT_ULL(e->counter)))
		return "another driver uses the counter";
	if (!e->period || e->period >= BIT_ULL(p->period_bits))
		return "the count is more than the counter holds";
	return p->model->encode(p, e, &control);
}

const char *oprofile_pmu_add(struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			     u32 index)
{
	const char *why = oprofile_pmu_refuse(p, e, p->owned);
	struct oprofile_pmu_programmed *added = &p->events[index];
	u32 i;

	for (i = 0; i < OPROFILE_PMU_EVENTS && !why; i++) {
		if (p->added & BIT(i) && p->events[i].counter == e->counter &&
		    p->events[i].group == e->group)
			why = "another event uses the counter";
	}
	if (why)
		return why;
	*added = (struct oprofile_pmu_programmed){ .counter = e->counter, .group = e->group };
	p->model->encode(p, e, &added->control);
	p->added |= BIT(index);
	return NULL;
}

void oprofile_pmu_clear(struct oprofile_pmu *p)
{
	p->added = 0;
}

void oprofile_pmu_forget(struct oprofile_pmu *p)
{
	p->running = p->saved = false;
	p->armed = p->active = p->owed = 0;
	p->added = 0;
}

u64 oprofile_pmu_enabled(const struct oprofile_pmu *p)
{
	u64 rest = p->owned & GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0), enabled = 0;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		if (oprofile_rdmsr(oprofile_pmu_control_msr(p, counter)) & OPROFILE_EVTSEL_ENABLE)
			enabled |= BIT_ULL(counter);
	}
	return enabled;
}

void oprofile_pmu_write_controls(const struct oprofile_pmu *p, u64 bits)
{
	u64 rest = p->active & GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0);

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		oprofile_wrmsr(oprofile_pmu_control_msr(p, counter),
			       oprofile_pmu_control(p, counter) | bits);
	}
}

void oprofile_pmu_clear_controls(struct oprofile_pmu *p)
{
	u64 rest = p->active & GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0);

	while (rest)
		oprofile_wrmsr(oprofile_pmu_control_msr(p, oprofile_pmu_next(&rest)), 0);
}

void oprofile_pmu_start(struct oprofile_pmu *p, u32 group)
{
	u32 i;

	if (!p->added)
		/* If only IBS is used, do not write the counters, because they may belong to other
		 * users. */
		return;
	/* save the APIC's LVTPC entry before this module's NMI handler writes it */
	p->saved_pmi = oprofile_pmi_read();
	if (p->model->begin)
		p->model->begin(p);
	for (i = 0; i < OPROFILE_PMU_EVENTS; i++) {
		const struct oprofile_pmu_programmed *e = &p->events[i];

		if (!(p->added & BIT(i)) || e->group != group)
			continue;
		p->event_of[oprofile_pmu_slot(e->counter)] = i;
		p->active |= BIT_ULL(e->counter);
		if (e->value)
			write_rest(p, e->counter, -e->value & oprofile_pmu_width(p, e->counter));
		else
			rearm(p, e->counter);
		/* Mark the counter as armed only after writing its start value: otherwise the
		 * NMI handler would mistake its old value for an overflow. */
		barrier();
		WRITE_ONCE(p->armed, p->armed | BIT_ULL(e->counter));
	}
	p->model->select(p);
	WRITE_ONCE(p->running, true);
	barrier();
	/* Unmask the LVTPC entry: an interrupt that came after the last stop may have masked it. */
	oprofile_pmu_unmask();
	p->model->enable(p);
}

/* Restore the LVTPC entry. If the restored entry delivers NMIs and is masked, an NMI of another
 * user has masked it: unmask it. */
static void restore_pmi(const struct oprofile_pmu *p)
{
	oprofile_pmi_write(p->saved_pmi & OPROFILE_PMI_NMI ? p->saved_pmi & ~OPROFILE_PMI_MASKED :
			   p->saved_pmi);
}

/*
 * The low bits of `owed` contain the number of late interrupts that are still expected; the high
 * bits contain the time at which the last late interrupt was announced. One instruction can change
 * both numbers. With two stores, a change by an NMI in between would be lost.
 */
#define OWED_MASK	0xffULL

/* Return the number of late interrupts that are still expected; 0 after the model's time limit
 * for late interrupts. */
static u32 still_expected(const struct oprofile_pmu *p, u64 owed, u64 now)
{
	return (s64)(now - (owed & ~OWED_MASK)) > (s64)p->model->late_ns ? 0 : owed & OWED_MASK;
}

void oprofile_pmu_expect_late(struct oprofile_pmu *p, u32 interrupts)
{
	u64 was, owed, now;

	do {
		was = READ_ONCE(p->owed);
		now = oprofile_hw_ns();
		owed = min(still_expected(p, was, now) + interrupts,
			   2 * (u32)hweight64(p->active) + 2);
	} while (cmpxchg(&p->owed, was, (now & ~OWED_MASK) | owed) != was);
}

/* Account a late interrupt. Return false if no late interrupt was expected. Called in an NMI, so
 * nothing can interrupt this function. */
static bool account_late(struct oprofile_pmu *p)
{
	u32 owed = p->owed ? still_expected(p, p->owed, oprofile_hw_ns()) : 0;

	p->owed = owed > 1 ? p->owed - 1 : 0;
	return owed;
}

/*
 * Both the NMI of an overflow and the stop of a counter take effect with a delay. During the wait
 * in this function, the handler still handles overflows. An overflow after the wait is counted as
 * lost, and its NMI is claimed as a late one.
 */
void oprofile_pmu_stop(struct oprofile_pmu *p)
{
	u64 pending, rest;
	u32 wait = OPROFILE_STOP_WAIT_US;

	if (!p->running)
		return;
	WRITE_ONCE(p->running, false);
	barrier();
	p->model->disable(p);
	do {
		oprofile_hw_wait_us();
		pending = find_wrapped(p, p->active);
	} while (pending && --wait);
	if (pending)
		oprofile_pmu_expect_late(p, hweight64(pending));
	p->model->deselect(p);
	barrier();
	WRITE_ONCE(p->armed, 0);
	barrier();
	for (rest = p->active; rest; ) {
		u32 counter = oprofile_pmu_next(&rest);
		u64 value = oprofile_pmu_read(p, counter);
		bool wrapped = is_wrapped(p, counter, value);

		p->lost += wrapped;
		p->events[p->event_of[oprofile_pmu_slot(counter)]].value = wrapped ? 0 : value;
	}
	p->active = 0;
	restore_pmi(p);
}

bool oprofile_pmu_kill(struct oprofile_pmu *p)
{
	if (!p->active)
		return false;
	WRITE_ONCE(p->running, false);
	WRITE_ONCE(p->armed, 0);
	p->model->disable(p);
	p->active = 0;
	return true;
}

u32 oprofile_pmu_handle_nmi(struct oprofile_pmu *p, u32 found, u32 *events)
{
	u64 taken = p->armed ? p->model->collect(p) : 0;
	u32 nr = hweight64(taken) + found;

	*events = 0;
	while (taken)
		*events |= BIT(p->event_of[oprofile_pmu_slot(oprofile_pmu_next(&taken))]);
	if (nr > 1 || (nr && p->model->strays))
		oprofile_pmu_expect_late(p, nr - 1 + p->model->strays);
	else if (!nr)
		nr = account_late(p);
	if (nr)
		oprofile_pace_interrupt(&p->pace, oprofile_hw_ns());
	return nr;
}

void oprofile_pmu_resume(struct oprofile_pmu *p)
{
	if (p->armed && p->model->resume)
		p->model->resume(p);
}
