/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/pmu.h -- the performance counters of one CPU: what it has, what was in them, what we count.
 *
 * detect.c finds out what there is, counters.c drives them, model_amd.c and model_intel.c know the
 * registers. All reach the hardware through hw.h alone and know nothing of the rest of the module: tests run them against a
 * simulated CPU.
 *
 * A struct oprofile_pmu belongs to its CPU and is only used there, by code that the CPU's NMI
 * handler may interrupt at any instruction:
 *
 *	detect		what is there
 *	save		remember the registers, see which ones nobody else uses
 *	add ...		say what to count
 *	start, stop	as often as wanted; a counter that is stopped goes on where it was
 *	restore		put back what save found
 *
 * Counters are numbered as in Intel's global registers: general ones from 0, fixed ones from 32.
 */
#ifndef OPROFILE_X86_PMU_H
#define OPROFILE_X86_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

#include "x86/pace.h"

#define OPROFILE_PMU_FIXED	32	/* number of the first fixed counter */
#define OPROFILE_PMU_GENERAL	16	/* so many of each kind at most */
#define OPROFILE_PMU_SLOTS	32
#define OPROFILE_PMU_EVENTS	32

/* Event select register, the same for AMD and Intel. */
#define OPROFILE_EVTSEL_USER	BIT_ULL(16)
#define OPROFILE_EVTSEL_KERNEL	BIT_ULL(17)
#define OPROFILE_EVTSEL_EDGE	BIT_ULL(18)
#define OPROFILE_EVTSEL_INT	BIT_ULL(20)
#define OPROFILE_EVTSEL_ANY	BIT_ULL(21)	/* Intel */
#define OPROFILE_EVTSEL_ENABLE	BIT_ULL(22)
#define OPROFILE_EVTSEL_INV	BIT_ULL(23)
#define OPROFILE_EVTSEL_CMASK	GENMASK_ULL(31, 24)

/* The local APIC's entry for the counters' interrupt. */
#define OPROFILE_PMI_NMI	0x400
#define OPROFILE_PMI_MASKED	BIT(16)

/* A counter that starts closer to its end may overflow twice, or for nothing. */
#define OPROFILE_PMU_LEAST	128

/* How long stop waits for interrupts that are on their way. */
#define OPROFILE_STOP_WAIT_US	50

/* What to count, as user space asked for it. */
struct oprofile_pmu_event {
	u64 period;
	u32 code, unit_mask;
	u32 extra;		/* edge, inv, cmask, any: where the event select register has them */
	u32 counter;
	u32 core_type;		/* the kind of core that the code is of; 0: all */
	u32 group;		/* events of one group count at the same time */
	bool kernel, user;
};

struct oprofile_pmu;

struct oprofile_pmu_model {
	/* NULL, or why this CPU's counters cannot be used. */
	const char *(*detect)(struct oprofile_pmu *p);
	/* What to write to select @e; NULL, or why this CPU cannot count it. */
	const char *(*encode)(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			      u64 *ret);
	/* Counters that are in use by somebody who did not reserve them. */
	u64 (*busy)(const struct oprofile_pmu *p);

	/* Called before anything is programmed: stops our counters and leaves others' as they are. May be NULL. */
	void (*begin)(struct oprofile_pmu *p);
	/*
	 * Write the event select registers of the active counters: with their events, or with none. These decide
	 * whether a counter can count at all, whatever somebody else's NMI handler does to the registers that all
	 * counters share. None counts before enable().
	 */
	void (*select)(struct oprofile_pmu *p);
	void (*deselect)(struct oprofile_pmu *p);
	/* The active counters count, or no longer do. */
	void (*enable)(struct oprofile_pmu *p);
	void (*disable)(struct oprofile_pmu *p);

	/* From NMI: the armed counters that have overflowed; each has begun a new period. */
	u64 (*take)(struct oprofile_pmu *p);
	/* After each take(), when samples were taken. May be NULL. */
	void (*resume)(struct oprofile_pmu *p);

	/* Registers that counters share. May be NULL. */
	void (*save)(struct oprofile_pmu *p);
	void (*restore)(struct oprofile_pmu *p);

	/*
	 * When one NMI has dealt with two overflows, the interrupt of the second still comes, and finds nothing.
	 * So an NMI that finds nothing is taken for ours when it comes within this time.
	 */
	u64 late_ns;
	/* One more that finds nothing may come after each NMI of ours, even after one that only IBS had a reason for. */
	bool strays;
};

extern const struct oprofile_pmu_model oprofile_pmu_amd;	/* found by the counters themselves */
extern const struct oprofile_pmu_model oprofile_pmu_amd_v2;	/* with global status */
extern const struct oprofile_pmu_model oprofile_pmu_intel_v1;
extern const struct oprofile_pmu_model oprofile_pmu_intel;	/* version 2 on */

u32 oprofile_amd_family(void);

struct oprofile_pmu_programmed {
	u64 control;		/* event select register, or the fixed counter's four bits */
	u64 value;		/* where a stopped counter goes on; 0: a new period */
	u32 counter, group;
};

struct oprofile_pmu {
	const struct oprofile_pmu_model *model;

	/* detect */
	const char *name;
	u64 counters;		/* that there are */
	u32 control_msr, counter_msr, write_msr, msr_step;
	u32 global_msr, status_msr, clear_msr;	/* where there is global control */
	u64 freezes;		/* bits of the status that keep counters from counting */
	u32 version, family;
	u32 core_type;		/* of a hybrid CPU, else 0 */
	u32 no_events;		/* Intel: architectural events that it lacks */
	bool shake;		/* Intel: errata want the counters shaken before a start */
	bool any_thread;	/* Intel: an event can count for both threads of a core */
	u8 bits, fixed_bits;	/* width of a counter */
	u8 period_bits;		/* a period is less than 2^this */

	/* save */
	bool saved;
	u64 owned;		/* counters that are ours to use */
	u64 saved_control[OPROFILE_PMU_GENERAL];
	u64 saved_counter[OPROFILE_PMU_SLOTS];
	u64 saved_global, saved_fixed;
	u64 foreign_global, foreign_fixed;	/* others' bits in the shared registers, at start */

	/* add */
	u32 added;		/* events, by index */
	struct oprofile_pmu_programmed events[OPROFILE_PMU_EVENTS];

	/* the handler's */
	u32 saved_pmi;		/* the APIC's entry, between start and stop */
	u64 active;		/* counters that count between start and stop */
	u8 event_of[OPROFILE_PMU_SLOTS];	/* and what */
	u64 armed;		/* those whose overflow means something */
	bool running;
	u64 owed;		/* interrupts that may come yet for overflows dealt with, and since when: counters.c */
	struct oprofile_pace pace;
	u64 lost;		/* overflows whose interrupt did not come in time at a stop */
};

/* NULL, or why this CPU's counters cannot be used. */
const char *oprofile_pmu_detect(struct oprofile_pmu *p);
/*
 * NULL, or what a counter of @reserved does not do: hypervisors that have none refuse or ignore writes, or
 * keep what is written and count nothing. Interrupts off, not from NMI.
 */
const char *oprofile_pmu_try(const struct oprofile_pmu *p, u64 reserved);

/* @reserved: counters that nobody else has reserved. */
void oprofile_pmu_save(struct oprofile_pmu *p, u64 reserved);
void oprofile_pmu_restore(struct oprofile_pmu *p);

/* NULL, or why such a CPU cannot count @e, whatever else it counts; of the counters it may use
 * those of @reserved. After detect. */
const char *oprofile_pmu_refuse(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
				u64 reserved);
/* NULL, or why @e cannot be counted on this CPU. @index is what take() will name it by. */
const char *oprofile_pmu_add(struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			     u32 index);
/* Its CPU is off, and what was in its registers is gone: nothing counts, nothing is to be put back. */
void oprofile_pmu_forget(struct oprofile_pmu *p);
/* Forgets all events; stopped. */
void oprofile_pmu_clear(struct oprofile_pmu *p);

/* Counts the events of @group. Interrupts off. */
void oprofile_pmu_start(struct oprofile_pmu *p, u32 group);
/* No overflow is left to come when this returns. Interrupts off, not from NMI. */
void oprofile_pmu_stop(struct oprofile_pmu *p);
/* The same in haste: from NMI, at a panic. Whether there was anything to stop. */
bool oprofile_pmu_kill(struct oprofile_pmu *p);

/*
 * An NMI came, and others of ours have @found so many reasons for it. Returns how many of our
 * interrupts that accounts for, those included; 0: it is not ours. *@events: the events that a
 * sample is due for. Then, whatever it returned, oprofile_pmu_resume().
 */
u32 oprofile_pmu_take(struct oprofile_pmu *p, u32 found, u32 *events);
void oprofile_pmu_resume(struct oprofile_pmu *p);

/*
 * So many interrupts of ours may come for which there is nothing left to do. No more are remembered than
 * can be under way: whatever is one too many takes somebody else's NMI from him. On the CPU, which an
 * NMI that owes as well, or takes, may interrupt in the middle.
 */
void oprofile_pmu_owe(struct oprofile_pmu *p, u32 interrupts);

/* How many of @event until its next sample: pmu_period.c, or a test. From any context. */
u64 oprofile_pmu_period(struct oprofile_pmu *p, u32 event);

/* For the models. */

static inline u32 oprofile_pmu_slot(u32 counter)
{
	return counter < OPROFILE_PMU_FIXED ? counter :
	       counter - OPROFILE_PMU_FIXED + OPROFILE_PMU_GENERAL;
}

static inline u64 oprofile_pmu_width(const struct oprofile_pmu *p, u32 counter)
{
	u8 bits = counter < OPROFILE_PMU_FIXED ? p->bits : p->fixed_bits;

	return GENMASK_ULL(bits - 1, 0);
}

static inline u32 oprofile_pmu_control_msr(const struct oprofile_pmu *p, u32 counter)
{
	return p->control_msr + counter * p->msr_step;
}

/* The lowest counter of a mask that is not 0, and takes it out. */
static inline u32 oprofile_pmu_next(u64 *mask)
{
	u32 counter = __builtin_ctzll(*mask);

	*mask &= *mask - 1;
	return counter;
}

/* What an active counter is programmed to. */
static inline u64 oprofile_pmu_control(const struct oprofile_pmu *p, u32 counter)
{
	return p->events[p->event_of[oprofile_pmu_slot(counter)]].control;
}

/* Lets the next interrupt of the counters through: Intel CPUs mask it when they deliver one. */
void oprofile_pmu_unmask(void);
u64 oprofile_pmu_read(const struct oprofile_pmu *p, u32 counter);
void oprofile_pmu_write(const struct oprofile_pmu *p, u32 counter, u64 value);
/* Begins a new period. */
void oprofile_pmu_rearm(struct oprofile_pmu *p, u32 counter);
/* Which of @counters have lost their highest bit: they count up from minus the period. */
u64 oprofile_pmu_wrapped(const struct oprofile_pmu *p, u64 counters);
/*
 * Begins a new period of each armed counter that has wrapped, and returns them. The status would tell
 * as much, but it may have been taken away: by perf's handler, which runs first while intel_pt traces.
 */
u64 oprofile_pmu_rearm_wrapped(struct oprofile_pmu *p);
/* Writes the event select registers of the active general counters, with @bits besides; and nothing. */
void oprofile_pmu_write_controls(const struct oprofile_pmu *p, u64 bits);
void oprofile_pmu_clear_controls(struct oprofile_pmu *p);
/* encode() for a general counter with an event of @bits bits. */
const char *oprofile_pmu_encode(const struct oprofile_pmu_event *e, u32 extra, u64 *ret);
/*
 * Global control and status, where there are such: the registers differ, what is done with them does
 * not. The functions are as in struct oprofile_pmu_model.
 */
void oprofile_global_begin(struct oprofile_pmu *p);
void oprofile_global_enable(struct oprofile_pmu *p);
void oprofile_global_disable(struct oprofile_pmu *p);
u64 oprofile_global_take(struct oprofile_pmu *p);
/* Clears the overflows of @counters in the status, and returns which there were. */
u64 oprofile_global_clear(const struct oprofile_pmu *p, u64 counters);
void oprofile_global_save(struct oprofile_pmu *p);
void oprofile_global_restore(struct oprofile_pmu *p);

/* Counters of @p->owned whose event select register says that they are enabled. */
u64 oprofile_pmu_enabled(const struct oprofile_pmu *p);

#endif
