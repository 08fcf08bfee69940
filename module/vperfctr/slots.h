/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/slots.h -- slots: the kernel's perf counters that an object counts by. We write no register.
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
	struct perf_event *event;	/* NULL: could not be made; of a copy only */
	struct vperfctr_slots *slots;
	bool interrupts;		/* it has an ireset */
	bool is_read;			/* its PMU keeps the count, or the rest of the period; else perf counts one by one */
	bool armed;			/* its next overflow stops it; cleared by that */
	u64 pc;				/* of the overflow that is not in the ring yet */
	atomic_t lost;			/* overflows since that one */
};

struct vperfctr_slots {
	struct vperfctr *v;	/* who owns this */
	struct irq_work irq_work;	/* an NMI cannot queue task_work */
	unsigned long overflowed;	/* mask, atomic: set by interrupts, taken by the owner */
	struct mm_struct *mm;	/* whose users may read counters, as its PMU was told; NULL: none. A reference, by the owner */
	struct cpumask *cpus;	/* that count all slots; NULL: all do, as software does everywhere. The others are behind it */
	struct cpumask *before;	/* the owner's mask while the owner is moved to one of those */
	struct cpumask *narrowed;	/* the CPUs of the owner's mask that count all slots */
	bool bound;		/* these are not all, and the owner may run there only */
	bool stays;		/* the owner does not migrate */
	bool stop;		/* an overflow stops its slot; without anybody to resume, slots go on */
	bool interrupts;	/* some have an ireset */
	bool reads;		/* of some the PMU keeps the count */
	bool turns;		/* some may take turns: their sums are told with enabled and running */
	bool maps;		/* some may be read in user mode, and the page follows them */
	struct vperfctr_ring *ring;	/* a reference, or NULL */
	unsigned long unwritten;	/* mask, atomic: set by interrupts, cleared by irq_work; who sets a bit has the slot's pc, who clears it no more */
	u32 nr;
	struct vperfctr_slot slot[];
};

/*
 * Slots of @control for @task, which do not count yet; NULL: there are none; ERR_PTR. Sleeps.
 * @tell is called after overflows, in an interrupt. EINVAL: @task may run on no CPU that counts all. @copy: a slot that cannot be
 * made has no event, instead of an error; and they count at once if none has an ireset.
 */
struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v, const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task, bool copy,
					     void (*tell)(struct irq_work *work));
void vperfctr_slots_free(struct vperfctr_slots *s);	/* NULL: nothing. Sleeps. */

/* Which slot counts by @event; NULL: it is not ours. */
struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event);

/* The caller, who is the owner, may read counters in its memory map, which may be a new one. Sleeps. */
void vperfctr_slots_admit(struct vperfctr_slots *s);

/*
 * Keep the caller, who is the owner, on a CPU that counts all slots, until one of the other two. EINVAL: the caller may run on
 * no such CPU. Leave the caller's mask of CPUs as it is or was. Sleep.
 */
int vperfctr_slots_stay(struct vperfctr_slots *s);
/* Let the caller run wherever its mask says. */
void vperfctr_slots_leave(struct vperfctr_slots *s);
/* The same, but remove the CPUs that do not count all slots from the mask, if others remain. Sleep. */
void vperfctr_slots_narrow(struct vperfctr_slots *s);

/* Before they start: a slot whose sum is @kept overflows when the sum comes to the next multiple of its ireset. */
void vperfctr_slots_go_on(struct vperfctr_slots *s, const struct vperfctr_sum *kept);

/* By the owner; sleep. ENOSPC: so many do not fit at once; then some count, and are to be stopped. */
int vperfctr_slots_start(struct vperfctr_slots *s);
void vperfctr_slots_stop(struct vperfctr_slots *s);	/* none of its interrupts comes any more */

/*
 * The page's @pmc, which say nothing of a counter yet, if there are no maps. Preemption and interrupts off. @running:
 * counters may be read. @fresh: the owner runs here, so counters are asked. Returns a mask of those that failed.
 */
u64 vperfctr_slots_show(const struct vperfctr_slots *s, struct vperfctr_pmc_state *pmc, const struct vperfctr_sum *kept,
			bool running, bool fresh);
static inline bool vperfctr_slot_failed(const struct vperfctr_slot *slot)
{
	return !slot->event || READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ERROR;
}

/* Asks the PMU. By the owner, preemption off. */
static inline void vperfctr_slot_refresh(const struct vperfctr_slot *slot)
{
	/* Active events of the running task are on this CPU: it is perf that takes them off, at a switch. */
	if (slot->is_read && slot->event && READ_ONCE(slot->event->state) == PERF_EVENT_STATE_ACTIVE)
		slot->event->pmu->read(slot->event);
}
void vperfctr_slots_refresh(const struct vperfctr_slots *s);
/* With enabled and running, if it takes turns. Sleeps; in any thread. */
void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum);

#endif
