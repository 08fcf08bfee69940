/* SPDX-License-Identifier: GPL-2.0 */
/* vperfctr/slots.h -- slots of an object: each slot is a perf event. The module itself writes no
 * counter registers. */
#ifndef VPERFCTR_SLOTS_H
#define VPERFCTR_SLOTS_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "uapi/vperfctr.h"

struct vperfctr;
struct vperfctr_ring;

struct vperfctr_slot {
	/* the perf event of the slot; NULL: its creation failed (only in a child's object) */
	struct perf_event *event;
	struct vperfctr_slots *slots;
	/* whether the slot has an ireset, so that its overflows raise interrupts */
	bool interrupts;
	/* whether the count, or the rest of the period, must be read from the PMU; false: perf
	 * counts these events in software */
	bool is_read;
	/* whether the next overflow will stop the slot; the overflow clears this member */
	bool armed;
	u64 pc;				/* pc of an overflow that has no record yet */
	/* number of further overflows while .pc has not been written to a record */
	atomic_t lost;
};

struct vperfctr_slots {
	struct vperfctr *v;	/* the object to which the slots belong */
	struct irq_work irq_work;	/* irq_work that queues the owner's task_work, because an
					 * NMI cannot do so */
	/* bit mask of slots that overflowed: interrupts set the bits, the owner clears them */
	unsigned long overflowed;
	/* the memory map that the PMU was notified of (see vperfctr_slots_allow_user_reads()),
	 * with a reference; or NULL */
	struct mm_struct *mm;
	/* CPUs that can count all slots; NULL: all CPUs. The same allocation contains .before
	 * and .narrowed */
	struct cpumask *cpus;
	/* the owner's CPU mask, saved while the owner is moved to a suitable CPU */
	struct cpumask *before;
	/* the owner's CPU mask without the CPUs that cannot count all slots */
	struct cpumask *narrowed;
	bool bound;		/* whether the owner may run only on the CPUs in .cpus */
	bool stays;		/* whether migration of the owner to another CPU is disabled */
	/* whether an overflow stops its slot; false if no signal is sent, because the slot could
	 * then never be resumed */
	bool stop;
	/* whether any slot has an ireset, so that its overflows raise interrupts */
	bool interrupts;
	bool reads;		/* whether the count of any slot must be read from a PMU */
	/* whether any slot may be multiplexed, so that sums include enabled and running times */
	bool turns;
	/* whether any slot can be read in user mode, so that the page shows its counter */
	bool maps;
	struct vperfctr_ring *ring;	/* the ring, with a reference; NULL: no ring */
	/* bit mask of slots with an overflow that has no record yet. Overflow interrupts set bits,
	 * irq_work clears them. Only the code that sets a bit may write the slot's pc */
	unsigned long unwritten;
	u32 nr;
	struct vperfctr_slot slot[];
};

/*
 * Create the slots of @control for @task, without starting them. Sleeps. Return NULL if @control
 * has no slots, or an ERR_PTR; -EINVAL: @task may not run on a CPU that counts all slots. @handler
 * is called after overflows, in an interrupt. @copy: for a child's object. If a slot's event cannot
 * be created, set .event to NULL instead of failing. Start the slots at once if no slot has an
 * ireset.
 */
struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v,
					     const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task,
					     bool copy, void (*handler)(struct irq_work *work));
void vperfctr_slots_free(struct vperfctr_slots *s);	/* @s may be NULL. May sleep. */

/* Return the slot to which @event belongs, or NULL if @event was not created by this module. */
struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event);

/* Allow the caller, which is the owner, to read counters in user mode from its current memory
 * map, which exec may have changed. Sleeps. */
void vperfctr_slots_allow_user_reads(struct vperfctr_slots *s);

/*
 * Keep the caller, which is the owner, on a CPU that counts all slots, until
 * vperfctr_slots_unbind() or vperfctr_slots_narrow() is called. The caller's mask of CPUs does not
 * change. Sleeps. Return 0, or -EINVAL if the caller may not run on such a CPU.
 */
int vperfctr_slots_bind(struct vperfctr_slots *s);
/* Allow the caller to migrate to another CPU again. */
void vperfctr_slots_unbind(struct vperfctr_slots *s);
/* Remove the CPUs that cannot count all slots from the caller's CPU mask, unless the mask would
 * become empty. Allow the caller to migrate again. Sleeps. */
void vperfctr_slots_narrow(struct vperfctr_slots *s);

/* Set the periods of the slots, before a start: each slot overflows when its sum, which begins at
 * @kept, reaches the next multiple of its ireset. */
void vperfctr_slots_set_periods(struct vperfctr_slots *s, const struct vperfctr_sum *kept);

/* Start the slots. Called by the owner. Sleeps. Return -ENOSPC if the slots cannot all count at the
 * same time: then some slots count, and the caller must stop all slots. */
int vperfctr_slots_start(struct vperfctr_slots *s);
/* Stop the slots. Called by the owner. Sleeps. No overflow interrupt comes after this call. */
void vperfctr_slots_stop(struct vperfctr_slots *s);

/*
 * Write the sums and maps of the slots to @pmc, which is in the page. Preemption and interrupts are
 * off. @running: also show the counters that user mode may read. @fresh: the owner runs on this
 * CPU, so read its counters first. Return the mask of the slots that do not count.
 */
u64 vperfctr_slots_show(const struct vperfctr_slots *s, struct vperfctr_pmc_state *pmc,
			const struct vperfctr_sum *kept, bool running, bool fresh);
static inline bool vperfctr_slot_failed(const struct vperfctr_slot *slot)
{
	return !slot->event || READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ERROR;
}

/* Update the perf event's count from the PMU. Called by the owner with preemption off. */
static inline void vperfctr_slot_refresh(const struct vperfctr_slot *slot)
{
	/* If the event of the running task is active, it is on this CPU, because perf removes
	 * events from the PMU at a context switch. */
	if (slot->is_read && slot->event &&
	    READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ACTIVE)
		slot->event->pmu->read(slot->event);
}
void vperfctr_slots_refresh(const struct vperfctr_slots *s);
/* Read the sum of a slot; if the slot is multiplexed, also the enabled and running times. Sleeps.
 * May be called for any thread. */
void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum);

#endif
