// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/overflow.c -- overflows of slots.
 */
#include "vperfctr/overflow.h"

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "vperfctr/object.h"
#include "vperfctr/ring.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"

/*
 * Return the mask of the slots whose overflows have no record in the ring yet, and copy the program
 * counters of these overflows to @pc. While a slot's bit in .unwritten is set, an NMI does not
 * change the slot's pc, but counts another overflow as lost.
 */
static unsigned long read_places(struct vperfctr_slots *s, u64 *pc)
{
	/* pairs with the store of the slot's bit in note_place() */
	unsigned long mask = smp_load_acquire(&s->unwritten);
	u32 i;

	for_each_set_bit(i, &mask, s->nr) {
		pc[i] = s->slot[i].pc;
		clear_bit_unlock(i, &s->unwritten);
	}
	return mask;
}

/* Write one record for each program counter: slots that overflowed at the same program counter
 * share a record. */
static void write_records(struct vperfctr_slots *s)
{
	struct vperfctr_state *state = READ_ONCE(s->v->ring) == s->ring ? s->v->state : NULL;
	struct vperfctr_ring_record record = { .tsc = vperfctr_virtual_tsc(s->v) };
	u64 pc[VPERFCTR_MAX_PMCS];
	unsigned long mask = read_places(s, pc);
	u32 i;

	for (; mask; mask &= ~record.mask) {
		record.pc = pc[__ffs(mask)];
		record.mask = 0;
		for_each_set_bit(i, &mask, s->nr) {
			if (pc[i] == record.pc)
				record.mask |= BIT(i);
		}
		vperfctr_ring_write(s->ring, state, &record);
	}
	for (i = 0; i < s->nr; i++) {
		if (atomic_read(&s->slot[i].lost))
			vperfctr_ring_lose(s->ring, state, atomic_xchg(&s->slot[i].lost, 0));
	}
}

/* Called after an overflow: queue the owner's task_work. The object still has an owner, because
 * slots are freed before the owner is cleared. */
static void notify_owner(struct irq_work *work)
{
	struct vperfctr_slots *s = container_of(work, struct vperfctr_slots, irq_work);
	struct vperfctr *v = s->v;
	struct task_struct *owner = READ_ONCE(v->owner);

	if (s->ring)
		write_records(s);
	if (owner && s->stop)
		vperfctr_queue(v, owner, VPERFCTR_TODO_OVERFLOW);
}

struct vperfctr_slots *vperfctr_make_slots(struct vperfctr *v,
					   const struct vperfctr_control *control,
					   struct vperfctr_ring *ring, struct task_struct *task,
					   bool copy)
{
	return vperfctr_slots_create(v, control, ring, task, copy, notify_owner);
}

/* Send the overflow signal. Store si_pmc_ovf_mask in the place of si_pid, which the kernel does
 * not use in its own signals. */
static void send_overflow_signal(int signo, u32 mask)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = signo;
	info.si_code = VPERFCTR_SI_PMC_OVF;
	info.si_pid = mask;
	send_sig_info(signo, &info, current);
}

bool vperfctr_slots_suspended(const struct vperfctr *v)
{
	return v->suspended || (v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_FORBIDDEN);
}

void vperfctr_handle_overflow(struct vperfctr *v)
{
	unsigned long mask = 0;
	int signo = 0;

	mutex_lock(&v->lock);
	if (v->owner == current && v->slots)
		mask = xchg(&v->slots->overflowed, 0);
	if (mask) {
		vperfctr_slots_stop(v->slots);
		/* Include overflows that occurred after the exchange above and before the stop of
		 * the slots. */
		mask |= xchg(&v->slots->overflowed, 0);
		preempt_disable();
		vperfctr_update(v, v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING, true);
		vperfctr_show_status(v, VPERFCTR_CSTATUS_SUSPENDED, 0);
		preempt_enable();
		v->suspended = true;
		signo = v->control.si_signo;
	}
	mutex_unlock(&v->lock);
	if (signo)
		send_overflow_signal(signo, mask);
}

void vperfctr_resume_slots(struct vperfctr *v)
{
	lockdep_assert_held(&v->lock);
	if (!v->suspended)
		return;
	v->suspended = false;
	if (!vperfctr_slots_suspended(v))
		vperfctr_slots_start(v->slots);
	preempt_disable();
	vperfctr_update(v, v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING, true);
	vperfctr_show_status(v, 0, VPERFCTR_CSTATUS_SUSPENDED);
	preempt_enable();
}
