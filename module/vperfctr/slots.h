/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/slots.h -- slots: perf counters of an object. The module itself writes no counter
 * registers.
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
	/* the perf event; NULL: its creation failed (only in copies) */
	struct perf_event *event;
	struct vperfctr_slots *slots;
	/* the slot has an ireset, so its overflows raise interrupts */
	bool interrupts;
	/* the PMU has the count or the rest of the period, which must be read; false: perf counts
	 * the events in software */
	bool is_read;
	/* the next overflow will stop the slot, and clear this member */
	bool armed;
	u64 pc;				/* pc of an overflow that has no record yet */
	/* number of further overflows while .pc has not been written to a record */
	atomic_t lost;
};

struct vperfctr_slots {
	struct vperfctr *v;	/* the object to which the slots belong */
	struct irq_work irq_work;	/* queues the owner's task_work, which an NMI cannot do */
	/* bit mask of slots that overflowed: interrupts set the bits, the owner clears them */
	unsigned long overflowed;
	/* memory map that was reported to the PMU as reading counters, with a reference; or NULL */
	struct mm_struct *mm;
	/* CPUs that count all slots; NULL: all CPUs. The allocation includes the next two masks */
	struct cpumask *cpus;
	/* the owner's CPU mask, saved while the owner is moved to a suitable CPU */
	struct cpumask *before;
	/* the owner's CPU mask without the CPUs that do not count all slots */
	struct cpumask *narrowed;
	bool bound;		/* the owner may run only on the CPUs in `cpus` */
	bool stays;		/* migration of the owner is disabled */
	/* an overflow stops its slot; false if the slot could not be resumed, because no signal is
	 * sent */
	bool stop;
	bool interrupts;	/* some slot has an ireset, so its overflows raise interrupts */
	bool reads;		/* some slot's count must be read from its PMU */
	/* some slot may be multiplexed, so sums include enabled and running times */
	bool turns;
	/* some slot can be read in user mode, and the page shows its counter */
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
 * is called after overflows, in an interrupt. @copy: for a slot whose event cannot be created, set
 * .event to NULL instead of failing; start the slots at once if no slot has an ireset.
 */
struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v,
					     const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task,
					     bool copy, void (*handler)(struct irq_work *work));
void vperfctr_slots_free(struct vperfctr_slots *s);	/* @s may be NULL. May sleep. */

/* Return the slot of @event, or NULL if the event belongs to another user. */
struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event);

/* Let the caller, which is the owner, read the counters from its current memory map, which exec may
 * have changed. Sleeps. */
void vperfctr_slots_allow_user_reads(struct vperfctr_slots *s);

/*
 * Keep the caller, which is the owner, on a CPU that counts all slots, until
 * vperfctr_slots_unbind() or vperfctr_slots_narrow() is called. The caller's mask of CPUs does not
 * change. Sleeps. Return 0, or -EINVAL if the caller may not run on such a CPU.
 */
int vperfctr_slots_bind(struct vperfctr_slots *s);
/* Allow the caller to migrate again. */
void vperfctr_slots_unbind(struct vperfctr_slots *s);
/* Remove from the caller's CPU mask the CPUs that do not count all slots, if other CPUs remain.
 * Allow the caller to migrate again. Sleeps. */
void vperfctr_slots_narrow(struct vperfctr_slots *s);

/* Set the periods before a start: each slot overflows when its sum, which begins at @kept, reaches
 * the next multiple of its ireset. */
void vperfctr_slots_set_periods(struct vperfctr_slots *s, const struct vperfctr_sum *kept);

/* Start the slots. Called by the owner. Sleeps. Return -ENOSPC if the slots cannot all count at the
 * same time: then some count, and the caller must stop them. */
int vperfctr_slots_start(struct vperfctr_slots *s);
/* Stop the slots. Called by the owner. Sleeps. After this call no overflow interrupt comes. */
void vperfctr_slots_stop(struct vperfctr_slots *s);

/*
 * Write the slots to @pmc in the page. Preemption and interrupts are off. @running: counters may be
 * read in user mode. @fresh: the owner runs here, so read its counters first. Return the mask of
 * the failed slots.
 */
u64 vperfctr_slots_show(const struct vperfctr_slots *s, struct vperfctr_pmc_state *pmc,
			const struct vperfctr_sum *kept, bool running, bool fresh);
static inline bool vperfctr_slot_failed(const struct vperfctr_slot *slot)
{
	return !slot->event || READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ERROR;
}

/* Read the counter from the PMU into the event. Called by the owner with preemption off. */
static inline void vperfctr_slot_refresh(const struct vperfctr_slot *slot)
{
	/* An active event of the running task is on this CPU, because perf removes events from the
	 * PMU at a context switch. */
	if (slot->is_read && slot->event &&
	    READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ACTIVE)
		slot->event->pmu->read(slot->event);
}
void vperfctr_slots_refresh(const struct vperfctr_slots *s);
/* Read the sum of a slot; if the slot is multiplexed, also the enabled and running times. Sleeps.
 * May be called for any thread. */
void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum);

#endif
