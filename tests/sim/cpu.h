/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h -- a CPU with performance counters, simulated: registers, counting, overflow, the local
 * APIC's way of turning it into an NMI, and everything that can come at a bad moment.
 *
 * Time passes with each access to a register, and an NMI can come with each: in the middle of
 * whatever the code under test is doing. Part of the counters may belong to somebody else, who
 * counts and takes NMIs as well; other NMIs come from outside. The simulation knows the truth:
 * which counter overflowed how often, and which NMI came from what.
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
	bool freezes;		/* counters freeze when an interrupt is sent */
	bool masks;		/* the APIC masks the interrupt when it delivers it */
	bool nehalem;		/* Intel: that model */
	bool force_abort;	/* Intel: microcode spoils counter 3 */
	/* Intel: perf's handler runs before the module's handler and clears the status */
	bool perf;
	u32 latest;		/* maximum number of ticks until an interrupt arrives */
	/* A hypervisor's registers. A write faults; a write is ignored; a write is kept, but has
	 * no effect. */
	bool refuses, forgets, stands;
	u32 ibs;		/* CPUID 8000001bh, EAX; 0: none */
	/* one of this many interrupts comes milliseconds late; 0: none does */
	u32 stragglers;
	/* a stop takes effect, or an overflow becomes visible, after fewer ticks than this; 0: 5 */
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
	/* truth */
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
	/* number of counters that were started too close to their overflow */
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
	/* IBS's extended interrupt: works; firmware has not set its number; the kernel uses it
	 * otherwise. */
	enum { SIM_IBS_INTERRUPT, SIM_IBS_NO_INTERRUPT, SIM_IBS_OTHERS_INTERRUPT } ibs_interrupt;
	bool ibs_by_nmi;	/* the code under test has asked for it, and it is an NMI */
	u64 external_at;	/* tick at which another source sends an NMI; 0: none */
	/* tick at which a counter is made to overflow if it is counting then */
	u64 wrap_at[SIM_COUNTERS];
	/* interrupts on their way, at most one of each source */
	struct sim_interrupt flight[SIM_COUNTERS + SIM_IBS_UNITS];
	u32 in_flight;
	bool in_nmi, latched;
	u32 sources;		/* sources of the latched NMI */
	u64 nmi_begin, nmi_end;	/* begin and end of the last NMI, in ticks */
	bool swallow;		/* the kernel's: the last NMI had two takers: default_do_nmi() */

	/* The handler under test: returns how many interrupts the NMI stood for. */
	u32 (*handler)(void *data);
	void *data;

	/* truth */
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
	/* NMIs of ours that neither the handler nor the kernel claimed */
	u64 unknown_ours;
	/* number of times that all four counters were written, as an erratum requires */
	u64 shaken;
	/* the first action of the code under test that no CPU would accept */
	char complaint[200];
};

enum { SIM_OURS = 1, SIM_FOREIGN = 2, SIM_EXTERNAL = 4 };

/* Fill the registers with random contents, as an earlier user may have left them. No counter of
 * ours counts. */
void sim_init(struct sim_cpu *cpu, const struct sim_config *config, u64 foreign, u64 silent, u64 seed);
/* Make the functions of hw.h access @cpu. */
void sim_use(struct sim_cpu *cpu);
void sim_tick(struct sim_cpu *cpu);
/* Sends an NMI from outside. */
void sim_inject(struct sim_cpu *cpu);
/* Stops all counting until sim_go(), and lets all interrupts on their way arrive. */
void sim_settle(struct sim_cpu *cpu);
void sim_go(struct sim_cpu *cpu);
/* Lets time pass in which nothing happens. Call it after sim_settle(). */
void sim_skip_ms(struct sim_cpu *cpu, u32 ms);
/* Suspend the machine to memory: all registers change, and no notifier runs. */
void sim_sleep(struct sim_cpu *cpu);
/* Put overflows of ours and other bits into the status, as another user may leave them. */
void sim_leave_status(struct sim_cpu *cpu);
/* Returns the counters that are enabled. */
u64 sim_enabled(const struct sim_cpu *cpu);
/* Returns the counters that have overflowed, as the CPU shows it. */
u64 sim_overflowed(const struct sim_cpu *cpu);
/* Let another user begin to use the IBS units in the mask @units, and stop using the other
 * units. */
void sim_ibs_grab(struct sim_cpu *cpu, u32 units);
/* How often an event happens in 64 ticks, in any counter. */
u32 sim_happens(const struct sim_config *config, u32 code, u32 unit_mask);
u64 sim_random(struct sim_cpu *cpu);

#endif
