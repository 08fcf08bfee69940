/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h -- a simulated CPU with performance counters: registers, counting, overflows, the local
 * APIC's conversion of overflows to NMIs, and events at bad moments.
 *
 * Each access to a register advances time, and may be followed by an NMI, at any point of the code
 * under test. Some counters may belong to another user, who counts and handles NMIs, too; other
 * NMIs come from outside. The simulation records the truth: how often each counter overflowed, and
 * the source of each NMI.
 */
#ifndef SIM_CPU_H
#define SIM_CPU_H

#include <linux/types.h>

#define SIM_COUNTERS	64

struct sim_config {
	const char *name;
	enum { SIM_AMD, SIM_INTEL } vendor;
	u32 family;		/* AMD */
	bool core, v2;		/* AMD: registers of family 15h; global control */
	u32 version;		/* Intel */
	/* number of general counters; width of a general counter in bits; width of a fixed counter,
	 * 0: the same */
	u32 general, bits, fixed_bits;
	u64 fixed;		/* mask of the existing fixed counters */
	bool silent;		/* Intel: leaf 0xa does not report the fixed counters */
	bool virtual;		/* CPUID leaf 1 reports a hypervisor */
	/* CPUID leaf 0xa, EBX: a bit that is set means that the event does not exist */
	u32 no_events;
	u32 core_type;		/* kind of core, on a hybrid CPU */
	bool full_width;
	bool freezes;		/* counters freeze when they send an interrupt */
	bool masks;		/* the APIC masks LVTPC when it delivers an interrupt */
	bool nehalem;		/* Intel: a Nehalem, which has errata */
	bool force_abort;	/* Intel: microcode uses counter 3 (TSX force abort) */
	/* Intel: perf's handler runs before the module's handler and clears the status */
	bool perf;
	u32 latest;		/* maximum number of ticks until an interrupt arrives */
	/*
	 * registers of a hypervisor. .refuses: a write faults; .forgets: a write is ignored;
	 * .stands: a written value is kept, but the counter does not count
	 */
	bool refuses, forgets, stands;
	u32 ibs;		/* EAX of CPUID leaf 8000001bh (IBS capabilities); 0: no IBS */
	/* on average, one of this many interrupts is milliseconds late; 0: no interrupt */
	u32 stragglers;
	/* maximum delay in ticks until a stop takes effect or an overflow is visible; 0: 5 */
	u32 lag;
};

/* All CPUs of configs.c. */
extern const struct sim_config sim_configs[];
extern const u32 sim_nr_configs;

struct sim_interrupt {
	u64 at;			/* tick at which the interrupt arrives */
	u32 source;
	u8 counter;
};

enum { SIM_IBS_FETCH, SIM_IBS_OP, SIM_IBS_UNITS };

struct sim_ibs {
	u64 control, count, address;
	/* The following members are known only to the simulation and the test. */
	/* numbers of events counted, of samples, and of samples without an address */
	u64 counted, samples, nowhere;
	u64 overwritten;		/* number of samples that a stop discarded */
	u64 stops;
};

struct sim_cpu {
	const struct sim_config *config;
	u64 seed, ticks;

	u64 control[SIM_COUNTERS], value[SIM_COUNTERS];
	u64 global, status, fixed_control;
	u64 foreign;		/* mask of the counters that belong to another user */
	u64 silent;		/* mask of the foreign counters that their owner does not use now */
	u32 lvtpc;
	/* mask of counters that were started too close to their overflow */
	u64 too_close;
	u64 ticks_in_nmi;
	/* stopped counters that still count, and the tick until which they count */
	u64 lingering, lingers_until;
	/* counters whose overflow will become visible, and the tick at which it does */
	u64 showing, shows_at[SIM_COUNTERS];
	bool frozen, counting;
	u32 ibs_speed;		/* number of fetches, and of operations, in a tick */
	/* set by a test: event and unit mask of each general counter; 0: any */
	u16 expected[SIM_COUNTERS];
	struct sim_ibs ibs[SIM_IBS_UNITS];
	u32 ibs_foreign;	/* units of IBS that another user uses now */
	/*
	 * state of IBS's extended interrupt: works; firmware has not assigned it; the kernel uses
	 * it otherwise
	 */
	enum { SIM_IBS_INTERRUPT, SIM_IBS_NO_INTERRUPT, SIM_IBS_OTHERS_INTERRUPT } ibs_interrupt;
	/* the kernel delivers IBS's interrupt as an NMI, because the module has requested this */
	bool ibs_by_nmi;
	u64 external_at;	/* tick at which an external source sends an NMI; 0: never */
	/* tick at which a counter overflows if it is counting then */
	u64 wrap_at[SIM_COUNTERS];
	/* interrupts that were sent and have not arrived, at most one of each source */
	struct sim_interrupt flight[SIM_COUNTERS + SIM_IBS_UNITS];
	u32 in_flight;
	bool in_nmi, latched;
	u32 sources;		/* sources of the latched NMI */
	u64 nmi_begin, nmi_end;	/* begin and end of the last NMI, in ticks */
	/* the last NMI had two handlers, so default_do_nmi() swallows an unknown NMI */
	bool swallow;

	/* The NMI handler under test. It returns the number of interrupts that it claims. */
	u32 (*handler)(void *data);
	void *data;

	/* The following members are known only to the simulation and the test. */
	u64 overflows[SIM_COUNTERS];	/* for each counter, its number of overflows */
	u64 counted[SIM_COUNTERS];
	u64 last_overflow;		/* tick of the last overflow of a counter of the module */
	/* number of events counted while a counter selected another event than the test expected */
	u64 miscounted;
	u64 nmis, external_nmis, foreign_overflows, foreign_handled;
	/* events counted by the module's counters while the handler ran */
	u64 counted_in_nmi;
	/* number of NMIs that the handler under test claimed, and of interrupts that these NMIs
	 * stood for */
	u64 claimed, claims;
	/* overflows of the module's counters that were found in other users' NMIs */
	u64 stolen;
	/* other users' NMIs that were taken for late NMIs of the module */
	u64 mistaken;
	/* the module's NMIs that neither the module's handler nor the kernel claimed */
	u64 unknown_ours;
	/* number of times that the module wrote all four counters, as an erratum requires */
	u64 shaken;
	/* the first action of the code under test that no CPU would accept */
	char complaint[200];
};

enum { SIM_OURS = 1, SIM_FOREIGN = 2, SIM_EXTERNAL = 4 };

/*
 * Initialize the CPU with random register contents, as an earlier user may leave them. No counter
 * of the module counts.
 */
void sim_init(struct sim_cpu *cpu, const struct sim_config *config, u64 foreign, u64 silent, u64 seed);
/* Make the functions of hw.h access @cpu. */
void sim_use(struct sim_cpu *cpu);
void sim_tick(struct sim_cpu *cpu);
/* Send an NMI from an external source. */
void sim_inject(struct sim_cpu *cpu);
/* Stop all counting until sim_go(), and let all sent interrupts arrive. */
void sim_settle(struct sim_cpu *cpu);
void sim_go(struct sim_cpu *cpu);
/* Advance time by @ms, without any event. Call this after sim_settle(). */
void sim_skip_ms(struct sim_cpu *cpu, u32 ms);
/* Suspend the machine to memory: all registers change, and no notifier runs. */
void sim_sleep(struct sim_cpu *cpu);
/*
 * Set overflow bits of the module's counters and other bits in the status register, as another user
 * may leave them.
 */
void sim_leave_status(struct sim_cpu *cpu);
/* Return the mask of enabled counters. */
u64 sim_enabled(const struct sim_cpu *cpu);
/* Return the mask of counters that the status register shows as overflowed. */
u64 sim_overflowed(const struct sim_cpu *cpu);
/* Let another user begin to use the IBS units in the mask @units, and stop using the other
 * units. */
void sim_ibs_set_foreign(struct sim_cpu *cpu, u32 units);
/* Return how often an event occurs in 64 ticks, whichever counter counts it. */
u32 sim_event_rate(const struct sim_config *config, u32 code, u32 unit_mask);
u64 sim_random(struct sim_cpu *cpu);

#endif
