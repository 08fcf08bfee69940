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
	struct perf_event *event;	/* NULL: could not be made; in copies only */
	struct vperfctr_slots *slots;
	bool interrupts;		/* it has an ireset */
	/* its PMU keeps the count or the rest of the period; otherwise perf counts one by one */
	bool is_read;
	bool armed;			/* the next overflow stops it and clears this */
	u64 pc;				/* pc of an overflow that has no record yet */
	atomic_t lost;			/* number of overflows since the overflow at `pc` */
};

struct vperfctr_slots {
	struct vperfctr *v;	/* the object */
	struct irq_work irq_work;	/* an NMI cannot queue task_work */
	unsigned long overflowed;	/* atomic mask: set by interrupts, cleared by the owner */
	/* memory map with user reads, reported to the PMU; a reference by the owner, or NULL */
	struct mm_struct *mm;
	/* CPUs that count all slots; NULL: all CPUs. Begins the memory of the next two */
	struct cpumask *cpus;
	struct cpumask *before;	/* the owner's mask while the owner is moved to such a CPU */
	struct cpumask *narrowed;	/* the CPUs of the owner's mask that count all slots */
	bool bound;		/* the owner may run only on the CPUs in `cpus` */
	bool stays;		/* the owner does not migrate */
	/* an overflow stops its slot; not set if no signal lets the owner resume it */
	bool stop;
	bool interrupts;	/* a slot has an ireset */
	bool reads;		/* a slot's PMU keeps the count */
	bool turns;		/* a slot may be multiplexed: sums have enabled and running times */
	/* a slot may be read in user mode, and the page shows its counter */
	bool maps;
	struct vperfctr_ring *ring;	/* a reference, or NULL */
	/* atomic mask: set by interrupts, cleared by irq_work; the slot's pc belongs to the setter
	 * of its bit */
	unsigned long unwritten;
	u32 nr;
	struct vperfctr_slot slot[];
};

/*
 * Make the slots of @control for @task; they do not count yet. Sleeps. Return NULL if there are
 * none, or an ERR_PTR; -EINVAL: @task may not run on a CPU that counts all slots. @tell is called
 * after overflows, in an interrupt. @copy: a slot that cannot be made has no event, instead of an
 * error, and the slots count at once if no slot has an ireset.
 */
struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v,
					     const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task,
					     bool copy, void (*tell)(struct irq_work *work));
void vperfctr_slots_free(struct vperfctr_slots *s);	/* @s may be NULL. Sleeps. */

/* Return the slot of @event, or NULL if the event belongs to another user. */
struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event);

/* Allow the caller, the owner, to read counters in its memory map, which may have changed.
 * Sleeps. */
void vperfctr_slots_admit(struct vperfctr_slots *s);

/*
 * Keep the caller, the owner, on a CPU that counts all slots, until one of the next two functions
 * is called. The caller's mask of CPUs does not change. Sleeps. Return 0, or -EINVAL if the caller
 * may not run on such a CPU.
 */
int vperfctr_slots_stay(struct vperfctr_slots *s);
/* Let the caller run on all CPUs of its mask. */
void vperfctr_slots_leave(struct vperfctr_slots *s);
/* Let the caller run on all CPUs of its mask, after removing those that do not count all slots,
 * if others remain. Sleeps. */
void vperfctr_slots_narrow(struct vperfctr_slots *s);

/* Called before the start: let each slot overflow when its sum, beginning at @kept, reaches the
 * next multiple of its ireset. */
void vperfctr_slots_go_on(struct vperfctr_slots *s, const struct vperfctr_sum *kept);

/* Start and stop the slots, called by the owner. Sleeps. -ENOSPC: the slots cannot all count at
 * once; some count now, and the caller must stop them. */
int vperfctr_slots_start(struct vperfctr_slots *s);
void vperfctr_slots_stop(struct vperfctr_slots *s);	/* no interrupt comes after this */

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
	/* Active events of the running task are on this CPU: perf removes them at a switch. */
	if (slot->is_read && slot->event &&
	    READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ACTIVE)
		slot->event->pmu->read(slot->event);
}
void vperfctr_slots_refresh(const struct vperfctr_slots *s);
/* Read the sum, with enabled and running times if the slot is multiplexed. Sleeps; for any
 * thread. */
void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum);

#endif
