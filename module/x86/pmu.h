/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/pmu.h -- the performance counters of one CPU: their properties, saved contents, and events.
 *
 * detect.c detects the counters, counters.c drives them, model_amd.c and model_intel.c know the
 * registers. These files access the hardware only through hw.h, and do not depend on the rest of
 * the module, so that tests can run them on a simulated CPU.
 *
 * A struct oprofile_pmu belongs to its CPU and is used only there. The CPU's NMI handler may
 * interrupt this use at any instruction:
 *
 * 	detect		detect the counters
 * 	save		save the registers, and find counters that are not in use
 * 	add ...		add events
 * 	start, stop	repeatedly; a stopped counter continues from its value
 * 	restore		restore the saved registers
 *
 * Counters are numbered as in Intel's global registers: general ones from 0, fixed ones from 32.
 */
#ifndef OPROFILE_X86_PMU_H
#define OPROFILE_X86_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

#include "x86/pace.h"

#define OPROFILE_PMU_FIXED	32	/* number of the first fixed counter */
#define OPROFILE_PMU_GENERAL	16	/* maximum number of counters of each kind */
#define OPROFILE_PMU_SLOTS	32
#define OPROFILE_PMU_EVENTS	32

/* Bits of the event select register, which are the same for AMD and Intel. */
#define OPROFILE_EVTSEL_USER	BIT_ULL(16)
#define OPROFILE_EVTSEL_KERNEL	BIT_ULL(17)
#define OPROFILE_EVTSEL_EDGE	BIT_ULL(18)
#define OPROFILE_EVTSEL_INT	BIT_ULL(20)
#define OPROFILE_EVTSEL_ANY	BIT_ULL(21)	/* any-thread bit, which only Intel CPUs have */
#define OPROFILE_EVTSEL_ENABLE	BIT_ULL(22)
#define OPROFILE_EVTSEL_INV	BIT_ULL(23)
#define OPROFILE_EVTSEL_CMASK	GENMASK_ULL(31, 24)

/* Bits of the local APIC's LVTPC entry. */
#define OPROFILE_PMI_NMI	0x400
#define OPROFILE_PMI_MASKED	BIT(16)

/* Minimum period: with a shorter one, a counter may overflow twice, or overflow without an
 * event. */
#define OPROFILE_PMU_LEAST	128

/* Time in us for which the stop of a counter waits for pending interrupts. */
#define OPROFILE_STOP_WAIT_US	50

/* An event with the settings that user space has chosen. */
struct oprofile_pmu_event {
	u64 period;
	u32 code, unit_mask;
	/* edge, inv, cmask and any, at their positions in the event select register */
	u32 extra;
	u32 counter;
	u32 core_type;		/* the kind of core to which the code applies; 0: all kinds */
	/* number of the event's group; the events of a group are counted at the same time */
	u32 group;
	bool kernel, user;
};

struct oprofile_pmu;

struct oprofile_pmu_model {
	/* Return NULL, or the reason why this CPU's counters cannot be used. */
	const char *(*detect)(struct oprofile_pmu *p);
	/* Encode @e as a value of the event select register. Return NULL, or the reason why this
	 * CPU cannot count @e. */
	const char *(*encode)(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			      u64 *ret);
	/* Return the mask of the counters that other code uses without a reservation. */
	u64 (*busy)(const struct oprofile_pmu *p);

	/* Stop this module's counters before they are programmed, and leave the counters of other
	 * users unchanged. May be NULL. */
	void (*begin)(struct oprofile_pmu *p);
	/*
	 * select() writes the events to the event select registers of the active counters;
	 * deselect() clears these registers. A counter without an event cannot count, even if
	 * another NMI handler writes to the global registers. Counting begins only with enable().
	 */
	void (*select)(struct oprofile_pmu *p);
	void (*deselect)(struct oprofile_pmu *p);
	/* Enable or disable the active counters. */
	void (*enable)(struct oprofile_pmu *p);
	void (*disable)(struct oprofile_pmu *p);

	/* Called in an NMI. Begin a new period of each armed counter that has overflowed, and
	 * return the mask of these counters. */
	u64 (*collect)(struct oprofile_pmu *p);
	/* Re-enable the counters, unless they are being stopped. Called after each collect(), when
	 * the samples have been stored. May be NULL. */
	void (*resume)(struct oprofile_pmu *p);

	/* Save and restore the registers that all counters share. May be NULL. */
	void (*save)(struct oprofile_pmu *p);
	void (*restore)(struct oprofile_pmu *p);

	/*
	 * Time in ns for which late interrupts are expected. If one NMI has handled two overflows,
	 * the second interrupt still comes, but finds no overflow. An NMI without an overflow is
	 * claimed for this module if it comes within this time.
	 */
	u64 late_ns;
	/* An additional NMI without an overflow may follow each NMI of this module, even an NMI
	 * for IBS. */
	bool strays;
};

/* AMD's first model, which finds overflows by the counters' values */
extern const struct oprofile_pmu_model oprofile_pmu_amd;
/* AMD's model since Zen 4, which finds overflows by the global status register */
extern const struct oprofile_pmu_model oprofile_pmu_amd_v2;
extern const struct oprofile_pmu_model oprofile_pmu_intel_v1;
/* model for Intel's version 2 and later */
extern const struct oprofile_pmu_model oprofile_pmu_intel;

u32 oprofile_amd_family(void);

struct oprofile_pmu_programmed {
	/* value of the event select register; for a fixed counter, its four bits of the control
	 * register */
	u64 control;
	u64 value;		/* value of a stopped counter; 0: begin a new period */
	u32 counter, group;
};

struct oprofile_pmu {
	const struct oprofile_pmu_model *model;

	/* Members that detect() sets. */
	const char *name;
	u64 counters;		/* mask of the existing counters */
	u32 control_msr, counter_msr, write_msr, msr_step;
	/* numbers of the registers for global control; unused without global control */
	u32 global_msr, status_msr, clear_msr;
	u64 freezes;		/* bits of the status register that freeze the counters */
	u32 version, family;
	u32 core_type;		/* kind of this core, if the CPU is hybrid; otherwise 0 */
	/* Intel: mask of the architectural events that this CPU cannot count */
	u32 no_events;
	bool needs_reset;		/* Intel: whether errata require a reset before a start */
	/* Intel: the any-thread bit exists, which makes an event count both threads of a core */
	bool any_thread;
	u8 bits, fixed_bits;	/* number of bits of a general counter, and of a fixed counter */
	u8 period_bits;		/* periods must be below 2^period_bits */

	/* Members that save() sets. */
	bool saved;
	u64 owned;		/* mask of the counters that this module may program */
	u64 saved_control[OPROFILE_PMU_GENERAL];
	u64 saved_counter[OPROFILE_PMU_SLOTS];
	u64 saved_global, saved_fixed;
	/* bits of other users' counters in the registers that all counters share, read when
	 * counting starts */
	u64 foreign_global, foreign_fixed;

	/* Members that add() sets. */
	u32 added;		/* mask of the indexes of added events */
	struct oprofile_pmu_programmed events[OPROFILE_PMU_EVENTS];

	/* The NMI handler uses the following members. */
	/* contents of the APIC's LVTPC entry before the start of counting; restored by the stop */
	u32 saved_pmi;
	u64 active;		/* mask of the counters that are in use from start to stop */
	u8 event_of[OPROFILE_PMU_SLOTS];	/* index of the event of each counter */
	u64 armed;		/* mask of the counters whose overflows are samples */
	bool running;
	/* number of late interrupts that are still expected, and the time at which the last one
	 * was announced (counters.c) */
	u64 owed;
	struct oprofile_pace pace;
	/* number of overflows that were lost when counting stopped, because their interrupt came
	 * too late */
	u64 lost;
};

/* Return NULL, or the reason why this CPU's counters cannot be used. */
const char *oprofile_pmu_detect(struct oprofile_pmu *p);
/*
 * Test the counters in @reserved: hypervisors without counters refuse or ignore writes, or
 * accept writes without counting. Return NULL, or the failure. Called with interrupts off, not
 * in an NMI.
 */
const char *oprofile_pmu_try(const struct oprofile_pmu *p, u64 reserved);

/* Save the counter registers. @reserved: mask of the counters that this module has reserved. */
void oprofile_pmu_save(struct oprofile_pmu *p, u64 reserved);
void oprofile_pmu_restore(struct oprofile_pmu *p);

/* Return NULL, or the reason why a CPU of this kind cannot count @e with the counters in @reserved,
 * even if @e is the only event. Called after oprofile_pmu_detect(). */
const char *oprofile_pmu_refuse(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
				u64 reserved);
/* Add the event @e, whose overflows will be reported as bit @index of an event mask. Return NULL,
 * or the reason why this CPU cannot count @e. */
const char *oprofile_pmu_add(struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			     u32 index);
/* Discard the state of a CPU that went offline and lost its registers: nothing counts, and nothing
 * is to be restored. */
void oprofile_pmu_forget(struct oprofile_pmu *p);
/* Remove all events. The counters must be stopped. */
void oprofile_pmu_clear(struct oprofile_pmu *p);

/* Start counting the events of @group. Interrupts are off. */
void oprofile_pmu_start(struct oprofile_pmu *p, u32 group);
/* Stop counting. After this function has returned, no overflows are handled. Called with interrupts
 * off, not in an NMI. */
void oprofile_pmu_stop(struct oprofile_pmu *p);
/* Stop all counters immediately, in an NMI at a panic. Return whether a counter was active. */
bool oprofile_pmu_kill(struct oprofile_pmu *p);

/*
 * Handle an NMI. @found: number of IBS samples that this NMI has delivered. Return the number of
 * this module's interrupts that this NMI has delivered, including @found; 0: the NMI belongs to
 * another user. Set *@events to the mask of the events with a sample. Call oprofile_pmu_resume()
 * afterwards in all cases.
 */
u32 oprofile_pmu_handle_nmi(struct oprofile_pmu *p, u32 found, u32 *events);
void oprofile_pmu_resume(struct oprofile_pmu *p);

/*
 * Expect @interrupts late interrupts without an overflow. The sum is limited to the number that can
 * be pending: each excess number would make this module claim another driver's NMI. Called on the
 * CPU to which @p belongs; an NMI that changes the number may interrupt this function.
 */
void oprofile_pmu_expect_late(struct oprofile_pmu *p, u32 interrupts);

/* Return the number of events until the next sample of the event with the index @event. Defined
 * in pmu_period.c; tests have their own definition. Any context. */
u64 oprofile_pmu_period(struct oprofile_pmu *p, u32 event);

/* The functions below are for the models, which implement kinds of CPUs. */

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

/* Remove the lowest counter from a nonzero mask, and return it. */
static inline u32 oprofile_pmu_next(u64 *mask)
{
	u32 counter = __builtin_ctzll(*mask);

	*mask &= *mask - 1;
	return counter;
}

/* Return the event select value of the event that the active counter @counter counts. */
static inline u64 oprofile_pmu_control(const struct oprofile_pmu *p, u32 counter)
{
	return p->events[p->event_of[oprofile_pmu_slot(counter)]].control;
}

/* Unmask the LVTPC entry, which Intel CPUs mask when they deliver the interrupt. */
void oprofile_pmu_unmask(void);
u64 oprofile_pmu_read(const struct oprofile_pmu *p, u32 counter);
void oprofile_pmu_write(const struct oprofile_pmu *p, u32 counter, u64 value);
/*
 * Begin a new period of each armed counter that has overflowed, and return the mask of these
 * counters. Finds overflows by the counters' values, because the status register is not reliable:
 * perf's handler, which runs first while intel_pt traces, may have cleared it.
 */
u64 oprofile_pmu_rearm_wrapped(struct oprofile_pmu *p);
/* Write the events, with @bits added, to the event select registers of the active general
 * counters; or clear these registers. */
void oprofile_pmu_write_controls(const struct oprofile_pmu *p, u64 bits);
void oprofile_pmu_clear_controls(struct oprofile_pmu *p);
/* Implement encode() for general counters. */
const char *oprofile_pmu_encode(const struct oprofile_pmu_event *e, u32 extra, u64 *ret);
/* Implementations of struct oprofile_pmu_model for models with global control and status, whose
 * registers have different numbers. */
void oprofile_global_begin(struct oprofile_pmu *p);
void oprofile_global_enable(struct oprofile_pmu *p);
void oprofile_global_disable(struct oprofile_pmu *p);
u64 oprofile_global_collect(struct oprofile_pmu *p);
/* Clear the overflow bits of @counters in the status register, and return the bits that were
 * set. */
u64 oprofile_global_clear(const struct oprofile_pmu *p, u64 counters);
void oprofile_global_save(struct oprofile_pmu *p);
void oprofile_global_restore(struct oprofile_pmu *p);

/* Return the subset of the counters @p->owned that are enabled in their event select registers. */
u64 oprofile_pmu_enabled(const struct oprofile_pmu *p);

#endif
