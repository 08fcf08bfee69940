/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/slots.h -- slots: perf counters of an object. The module itself writes no registers.
 */
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
	/* the perf event; NULL: it could not be made (only in copies) */
	struct perf_event *event;
	struct vperfctr_slots *slots;
	bool interrupts;		/* the slot has an ireset, so its overflows interrupt */
	/* the slot's PMU keeps the count or the rest of the period; false: perf counts one by
	 * one */
	bool is_read;
	/* the next overflow will stop the slot, and clear this member */
	bool armed;
	u64 pc;				/* pc of an overflow that has no record yet */
	/* number of overflows after the overflow whose place is .pc */
	atomic_t lost;
};

struct vperfctr_slots {
	struct vperfctr *v;	/* the object to which the slot belongs */
	struct irq_work irq_work;	/* queues the owner's task_work, which an NMI cannot do */
	/* bit mask of slots that overflowed: interrupts set the bits, the owner clears them */
	unsigned long overflowed;
	/* memory map that was reported to the PMU as reading counters, with a reference; or NULL */
	struct mm_struct *mm;
	/* CPUs that count all slots; NULL: all CPUs. This pointer also owns the memory of the next
	 * two members */
	struct cpumask *cpus;
	/* the owner's mask of CPUs, while the owner is moved to a CPU that counts */
	struct cpumask *before;
	struct cpumask *narrowed;	/* the CPUs of the owner's mask that count all slots */
	bool bound;		/* the owner may run only on the CPUs in `cpus` */
	bool stays;		/* the owner must stay on its CPU now */
	/* an overflow stops its slot; false if no signal would let the owner resume the slot */
	bool stop;
	bool interrupts;	/* a slot has an ireset, so its overflows interrupt */
	bool reads;		/* read the count from a PMU that keeps it */
	/* a slot may be multiplexed, so sums include enabled and running times */
	bool turns;
	/* a slot may be read in user mode, and the page shows its counter */
	bool maps;
	struct vperfctr_ring *ring;	/* the ring, with a reference; NULL: no ring */
	/* bit mask of slots with an unwritten overflow: interrupts set the bits, irq_work clears
	 * them; the code that set a bit may write the slot's pc */
	unsigned long unwritten;
	u32 nr;
	struct vperfctr_slot slot[];
};

/*
 * Make the slots of @control for @task; they do not count yet. Sleeps. Return NULL if @control has
 * no slots, or an ERR_PTR; -EINVAL: @task may not run on a CPU that counts all slots. @handler is
 * called after overflows, in an interrupt. @copy: a slot that cannot be made has no event, instead
 * of an error, and the slots count at once if no slot has an ireset.
 */
struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v,
					     const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task,
					     bool copy, void (*handler)(struct irq_work *work));
void vperfctr_slots_free(struct vperfctr_slots *s);	/* @s may be NULL. May sleep. */

/* Return the slot of @event, or NULL if the event belongs to another user. */
struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event);

/* Allow the caller, the owner, to read counters in its memory map, which may have changed.
 * Sleeps. */
void vperfctr_slots_allow_user_reads(struct vperfctr_slots *s);

/*
 * Keep the caller, which is the owner, on a CPU that counts all slots, until
 * vperfctr_slots_unbind() or vperfctr_slots_narrow() is called. The caller's mask of CPUs does not
 * change. Sleeps. Return 0, or -EINVAL if the caller may not run on such a CPU.
 */
int vperfctr_slots_bind(struct vperfctr_slots *s);
/* Let the caller run on all CPUs of its mask. */
void vperfctr_slots_unbind(struct vperfctr_slots *s);
/* Let the caller run on all CPUs of its mask, after removing from the mask the CPUs that do not
 * count all slots, if other CPUs remain. Sleeps. */
void vperfctr_slots_narrow(struct vperfctr_slots *s);

/* Prepare the start: let each slot overflow when its sum, which begins at @kept, reaches the next
 * multiple of its ireset. */
void vperfctr_slots_set_periods(struct vperfctr_slots *s, const struct vperfctr_sum *kept);

/* vperfctr_slots_start(), vperfctr_slots_stop(): start and stop the slots. Called by the owner.
 * Sleep. -ENOSPC: the slots cannot all count at once; some count now, and the caller must stop
 * them. */
int vperfctr_slots_start(struct vperfctr_slots *s);
/* Stop counting. No interrupt comes after this call. */
void vperfctr_slots_stop(struct vperfctr_slots *s);

/*
 * Fill the page's @pmc. Preemption and interrupts are off. @running: counters may be read in user
 * mode. @fresh: the owner runs here, so read the counters first. Return the mask of the failed
 * slots.
 */
u64 vperfctr_slots_show(const struct vperfctr_slots *s, struct vperfctr_pmc_state *pmc,
			const struct vperfctr_sum *kept, bool running, bool fresh);
static inline bool vperfctr_slot_failed(const struct vperfctr_slot *slot)
{
	return !slot->event || READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ERROR;
}

/* Read the counter from the PMU. Called by the owner, preemption off. */
static inline void vperfctr_slot_refresh(const struct vperfctr_slot *slot)
{
	/* If the task is running, its active events are on this CPU, because perf removes them at a
	 * switch. */
	if (slot->is_read && slot->event &&
	    READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ACTIVE)
		slot->event->pmu->read(slot->event);
}
void vperfctr_slots_refresh(const struct vperfctr_slots *s);
/* Read the sum, with enabled and running times if the slot is multiplexed. Sleeps; for any
 * thread. */
void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum);

#endif
