// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/state.c -- writes the state of an object, which users read in the object's page.
 */
#include "vperfctr/state.h"

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/barrier.h>
#include <asm/sysreg.h>
#endif

#include "compat/compat.h"
#ifdef CONFIG_X86
#include "compat/compat_x86.h"
#endif
#include "vperfctr/object.h"
#include "vperfctr/slots.h"

/* Return the counter that user space reads as TSC, without the kernel's corrections. */
static inline u64 read_tsc(void)
{
#if defined(CONFIG_X86)
	return rdtsc_ordered();
#elif defined(CONFIG_ARM64)
	isb();
	return read_sysreg(cntvct_el0);
#else
	return get_cycles();
#endif
}

static __always_inline void begin(struct vperfctr_state *s)
{
	WRITE_ONCE(s->seq, s->seq + 1);
	smp_wmb();	/* make seq odd before any other change */
}

static __always_inline void end(struct vperfctr_state *s)
{
	smp_wmb();	/* finish all changes before seq becomes even */
	WRITE_ONCE(s->seq, s->seq + 1);
}

static u64 tsc_now(const struct vperfctr_cpu_state *c, u64 now)
{
	const u64 counts = VPERFCTR_CSTATUS_TSC_ON | VPERFCTR_CSTATUS_RUNNING;

	return c->tsc_sum + ((c->cstatus & counts) == counts ? now - c->tsc_start : 0);
}

/* Add the time since the last update to the virtual TSC. @running: whether the thread runs from
 * now on. */
static __always_inline void move_tsc(struct vperfctr_cpu_state *c, bool running)
{
	u64 status = c->cstatus, sum = c->tsc_sum, start = c->tsc_start, now = read_tsc();
	u64 next = (s64)(now - start) > 0 ? now : start + 1;

	if (status & VPERFCTR_CSTATUS_TSC_ON) {
		if (status & VPERFCTR_CSTATUS_RUNNING)
			sum += now - start;
		if (running)
			/* next - now is 0, or the time by which tsc_start is ahead of the TSC */
			sum += next - now;
	}
	status = running ? status | VPERFCTR_CSTATUS_RUNNING : status & ~VPERFCTR_CSTATUS_RUNNING;
	WRITE_ONCE(c->tsc_start, next);
	WRITE_ONCE(c->tsc_sum, sum);
	WRITE_ONCE(c->cstatus, status);
}

static void show_slots(struct vperfctr *v, bool running, bool fresh)
{
	struct vperfctr_cpu_state *c = &v->state->cpu_state;

	if (v->slots)
		c->cstatus |= vperfctr_slots_show(v->slots, c->pmc, v->kept, running, fresh) *
			      VPERFCTR_CSTATUS_ERROR(0);
}

/* Write the slots to the page. Not inline: otherwise vperfctr_update() would save more registers
 * at every context switch. */
static noinline void update_slots(struct vperfctr *v, bool running, bool fresh)
{
	do {
		WRITE_ONCE(v->moved, false);
		begin(v->state);
		show_slots(v, running, fresh);
		move_tsc(&v->state->cpu_state, running);
		end(v->state);
	} while (unlikely(READ_ONCE(v->moved)));
}

/* Repeat the update of the page if an NMI has moved an event to another counter during the
 * update. Interrupts are off. */
static void follow(struct vperfctr *v)
{
	if (unlikely(READ_ONCE(v->moved)) && v->slots)
		update_slots(v, v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING, false);
}

/*
 * Short form of vperfctr_update() for an object without slots. Interrupts do not change the page of
 * such an object, so the check for moved events is not needed. Readers on other CPUs check seq.
 */
void vperfctr_sched_out(struct vperfctr *v)
{
	struct vperfctr_state *s = v->state;
	struct vperfctr_cpu_state *c = &s->cpu_state;
	u64 seq = s->seq, start = c->tsc_start, now;

	WRITE_ONCE(s->seq, seq + 1);
	smp_wmb();	/* store the new seq, which is odd, before any other change */
	now = read_tsc();
	if (likely(c->cstatus & VPERFCTR_CSTATUS_TSC_ON))
		WRITE_ONCE(c->tsc_sum, c->tsc_sum + (now - start));
	WRITE_ONCE(c->tsc_start, likely((s64)(now - start) > 0) ? now : start + 1);
	WRITE_ONCE(c->cstatus, c->cstatus & ~VPERFCTR_CSTATUS_RUNNING);
	smp_wmb();	/* finish all changes before the next seq, which is even */
	WRITE_ONCE(s->seq, seq + 2);
}

void vperfctr_sched_in(struct vperfctr *v)
{
	struct vperfctr_state *s = v->state;
	struct vperfctr_cpu_state *c = &s->cpu_state;
	u64 seq = s->seq, start = c->tsc_start, now;

	WRITE_ONCE(s->seq, seq + 1);
	smp_wmb();	/* store the new seq, which is odd, before any other change */
	now = read_tsc();
	if (likely((s64)(now - start) > 0)) {
		WRITE_ONCE(c->tsc_start, now);
	} else {
		WRITE_ONCE(c->tsc_start, start + 1);
		if (c->cstatus & VPERFCTR_CSTATUS_TSC_ON)
			WRITE_ONCE(c->tsc_sum, c->tsc_sum + (start + 1 - now));
	}
	WRITE_ONCE(c->cstatus, c->cstatus | VPERFCTR_CSTATUS_RUNNING);
	smp_wmb();	/* finish all changes before the next seq, which is even */
	WRITE_ONCE(s->seq, seq + 2);
}

void vperfctr_update(struct vperfctr *v, bool running, bool fresh)
{
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	if (v->slots) {
		update_slots(v, running, fresh);
	} else {
		begin(v->state);
		move_tsc(&v->state->cpu_state, running);
		end(v->state);
	}
	local_irq_restore(flags);
}

/* Update the slots that the page does not show, and also copy their sums to user memory. Only
 * system calls report these slots. Interrupts and page faults are off. */
static int copy_slots(struct vperfctr *v, const struct vperfctr_slots *slots,
		      struct vperfctr_sum_ctrs __user *to)
{
	struct vperfctr_state *s = v->state;
	struct vperfctr_cpu_state *c = &s->cpu_state;
	const struct vperfctr_slot *slot = slots->slot, *end_of_slots = slot + slots->nr;
	const struct vperfctr_sum *kept = v->kept;
	struct vperfctr_sum __user *sum = to->pmc;
	struct vperfctr_pmc_state *pmc = c->pmc;

	if (slots->reads)
		vperfctr_slots_refresh(slots);
	if (!user_access_begin(to, sizeof(*to)))
		return -EFAULT;
	begin(s);
	for (; slot != end_of_slots; slot++, kept++, pmc++, sum++) {
		u64 count = kept->count;

		if (unlikely(vperfctr_slot_failed(slot)))
			c->cstatus |= VPERFCTR_CSTATUS_ERROR(slot - slots->slot);
		if (likely(slot->event))
			count += local64_read(&slot->event->count);
		WRITE_ONCE(pmc->sum, count);
		unsafe_put_user(count, &sum->count, fault);
		unsafe_put_user(0, &sum->enabled, fault);
		unsafe_put_user(0, &sum->running, fault);
	}
	move_tsc(c, c->cstatus & VPERFCTR_CSTATUS_RUNNING);
	end(s);
	unsafe_put_user(c->tsc_sum, &to->tsc, late_fault);
	unsafe_put_user(c->cstatus, &to->cstatus, late_fault);
	unsafe_put_user(0, &to->nr_children, late_fault);
	unsafe_put_user(0, &to->nr_missed, late_fault);
	for (; pmc != c->pmc + VPERFCTR_MAX_PMCS; pmc++, sum++) {
		unsafe_put_user(pmc->sum, &sum->count, late_fault);
		unsafe_put_user(0, &sum->enabled, late_fault);
		unsafe_put_user(0, &sum->running, late_fault);
	}
	user_access_end();
	return 0;

fault:
	move_tsc(c, c->cstatus & VPERFCTR_CSTATUS_RUNNING);
	end(s);
late_fault:
	user_access_end();
	return -EFAULT;
}

int vperfctr_report(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to)
{
	unsigned long flags;
	int err;

	pagefault_disable();
	local_irq_save(flags);
	err = copy_slots(v, v->slots, to);
	local_irq_restore(flags);
	pagefault_enable();
	return err;
}

static void update_moved(struct vperfctr *v)
{
	WRITE_ONCE(v->moved, true);
	if (!(READ_ONCE(v->state->seq) & 1) &&
	    (v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING))
		vperfctr_update(v, true, false);
}

/*
 * Called for all perf events of all users. The slots of the running thread are on this CPU, and
 * v->slots changes only with preemption off, so the object stays valid during this function. An
 * event that moves between a context switch and the switch's notifier needs no update here, because
 * the notifier updates the page.
 */
void vperfctr_moved(struct perf_event *event)
{
	const struct vperfctr_slot *slot = vperfctr_slot_of(event);
	struct vperfctr *v;

	if (!slot || !slot->slots->maps)
		return;
	v = slot->slots->v;
	if (READ_ONCE(v->owner) == current && READ_ONCE(v->slots) == slot->slots)
		update_moved(v);
}

void vperfctr_show_control(struct vperfctr *v, u64 tsc_sum, bool running)
{
	struct vperfctr_cpu_state *c = &v->state->cpu_state;
	unsigned long flags;
	u32 i;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	/* an NMI that moves an event after this store sets .moved again */
	WRITE_ONCE(v->moved, false);
	begin(v->state);
	v->state->features =
		VPERFCTR_FEATURE_RDTSC | (v->slots && v->slots->maps ? VPERFCTR_FEATURE_RDPMC : 0);
	WRITE_ONCE(c->cstatus,
		   (v->control.tsc_on ? VPERFCTR_CSTATUS_TSC_ON : 0) | (u64)v->control.nrctrs << 8);
	v->used = max(v->used, v->control.nrctrs);
	for (i = 0; i < v->used; i++) {
		WRITE_ONCE(c->pmc[i].map, 0);
		WRITE_ONCE(c->pmc[i].width, i < v->control.nrctrs ? 64 : 0);
		WRITE_ONCE(c->pmc[i].start, 0);
		WRITE_ONCE(c->pmc[i].sum, v->kept[i].count);
	}
	show_slots(v, running, false);
	WRITE_ONCE(c->tsc_sum, tsc_sum);
	move_tsc(c, running);
	end(v->state);
	follow(v);
	local_irq_restore(flags);
}

void vperfctr_show_copy(struct vperfctr *v)
{
	struct vperfctr_cpu_state *c = &v->state->cpu_state;
	u32 i;

	v->state->features = VPERFCTR_FEATURE_RDTSC;
	c->cstatus = (v->control.tsc_on ? VPERFCTR_CSTATUS_TSC_ON : 0) | (u64)v->control.nrctrs
										 << 8;
	v->used = v->control.nrctrs;
	for (i = 0; i < v->used; i++)
		c->pmc[i].width = 64;
}

void vperfctr_show_status(struct vperfctr *v, u64 set, u64 clear)
{
	struct vperfctr_cpu_state *c = &v->state->cpu_state;
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	begin(v->state);
	WRITE_ONCE(c->cstatus, (c->cstatus & ~clear) | set);
	end(v->state);
	follow(v);
	local_irq_restore(flags);
}

/* Copy the state by seq, as other readers do, because the owner may be exiting. */
void vperfctr_show_first(const struct vperfctr *v, struct vperfctr_state *page)
{
	u64 seq;

	lockdep_assert_held(&v->lock);
	do {
		seq = READ_ONCE(v->first.seq);
		smp_rmb();	/* pairs with the write barriers in begin() and end() */
		*page = v->first;
		smp_rmb();
	} while ((seq & 1) || READ_ONCE(v->first.seq) != seq);
}

void vperfctr_switch_page(struct vperfctr *v)
{
	unsigned long flags;

	lockdep_assert_held(&v->lock);
	if (!v->page || v->state == v->page)
		return;
	local_irq_save(flags);
	/* seq stays odd from now on, so that readers use the page instead */
	begin(&v->first);
	begin(v->page);
	v->page->features = v->first.features;
	v->page->cpu_state = v->first.cpu_state;
	WRITE_ONCE(v->page->seq, v->first.seq);
	smp_store_release(&v->state, v->page);
	end(v->page);
	follow(v);
	local_irq_restore(flags);
}

u64 vperfctr_virtual_tsc(const struct vperfctr *v)
{
	const struct vperfctr_state *s;
	u64 seq, tsc;

	do {
		s = smp_load_acquire(&v->state); /* pairs with vperfctr_switch_page() */
		seq = READ_ONCE(s->seq);
		smp_rmb();	/* pairs with the write barriers in begin() and end() */
		tsc = tsc_now(&s->cpu_state, read_tsc());
		smp_rmb();
	} while ((seq & 1) || READ_ONCE(s->seq) != seq);
	return tsc;
}

void vperfctr_read_last(const struct vperfctr *v, u64 *tsc, u64 *cstatus)
{
	const struct vperfctr_state *s;
	u64 seq;

	do {
		s = smp_load_acquire(&v->state); /* pairs with vperfctr_switch_page() */
		seq = READ_ONCE(s->seq);
		smp_rmb();	/* pairs with the write barriers in begin() and end() */
		*tsc = READ_ONCE(s->cpu_state.tsc_sum);
		*cstatus = READ_ONCE(s->cpu_state.cstatus);
		smp_rmb();
	} while ((seq & 1) || READ_ONCE(s->seq) != seq);
}
