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
	u32 general, bits, fixed_bits;	/* width; 0: the same */
	u64 fixed;		/* mask of fixed counters */
	bool silent;		/* Intel: leaf 0xa does not tell of the fixed counters */
	bool virtual;		/* leaf 1 tells of a hypervisor */
	u32 no_events;		/* leaf 0xa, EBX */
	u32 core_type;		/* hybrid */
	bool full_width;
	bool freezes;		/* counters freeze at an interrupt */
	bool masks;		/* the APIC masks the interrupt when it delivers it */
	bool nehalem;		/* Intel: that model */
	bool force_abort;	/* Intel: microcode spoils counter 3 */
	bool perf;		/* Intel: perf's handler runs before ours, and takes our status away */
	u32 latest;		/* ticks until an interrupt arrives, at most */
	/* A hypervisor's registers: a write is a fault, is ignored, or all there is to them. */
	bool refuses, forgets, stands;
	u32 ibs;		/* CPUID 8000001bh, EAX; 0: none */
	u32 stragglers;		/* one in so many comes milliseconds late */
	u32 lag;		/* a stop takes effect, and an overflow shows, after fewer ticks; 0: 5 */
};

/* configs.c: one of each kind. */
extern const struct sim_config sim_configs[];
extern const u32 sim_nr_configs;

struct sim_interrupt {
	u64 at;			/* tick of its arrival */
	u32 source;
	u8 counter;
};

enum { SIM_IBS_FETCH, SIM_IBS_OP, SIM_IBS_UNITS };

struct sim_ibs {
	u64 control, count, address;
	/* truth */
	u64 counted, samples, nowhere;	/* nowhere: samples without an address */
	u64 overwritten;		/* samples that a stop threw away */
	u64 stops;
};

struct sim_cpu {
	const struct sim_config *config;
	u64 seed, ticks;

	u64 control[SIM_COUNTERS], value[SIM_COUNTERS];
	u64 global, status, fixed_control;
	u64 foreign;		/* counters that are somebody else's */
	u64 silent;		/* of those, the ones that he does not use now */
	u32 lvtpc;
	u64 too_close;		/* counters that were started too close to their end */
	u64 ticks_in_nmi;
	u64 lingering, lingers_until;	/* counters that were stopped, and count to that tick */
	u64 showing, shows_at[SIM_COUNTERS];	/* those whose overflow will show then */
	bool frozen, counting;
	u32 ibs_speed;		/* fetches, and operations, in a tick */
	u16 expected[SIM_COUNTERS];	/* the tests': event and unit mask of each general counter; 0: any */
	struct sim_ibs ibs[SIM_IBS_UNITS];
	u32 ibs_foreign;	/* units that somebody else uses now */
	/* The extended interrupt of IBS: nobody has said which; the kernel has another use for it. */
	enum { SIM_IBS_INTERRUPT, SIM_IBS_NO_INTERRUPT, SIM_IBS_OTHERS_INTERRUPT } ibs_interrupt;
	bool ibs_by_nmi;	/* it was asked for, and interrupts */
	u64 external_at;	/* tick at which an NMI comes from outside; 0: none */
	u64 wrap_at[SIM_COUNTERS];	/* tick at which a counter overflows, should it count then */
	struct sim_interrupt flight[SIM_COUNTERS + SIM_IBS_UNITS];	/* at most one of each source */
	u32 in_flight;
	bool in_nmi, latched;
	u32 sources;		/* of the latched NMI */
	u64 nmi_begin, nmi_end;	/* ticks, of the last */
	bool swallow;		/* the kernel's: the last NMI had two takers, see default_do_nmi() */

	/* The handler under test: returns how many interrupts the NMI stood for. */
	u32 (*handler)(void *data);
	void *data;

	/* truth */
	u64 overflows[SIM_COUNTERS];	/* per counter */
	u64 counted[SIM_COUNTERS];
	u64 last_overflow;		/* of ours: tick */
	u64 miscounted;			/* while a counter selected another event than the test expected */
	u64 nmis, external_nmis, foreign_overflows, foreign_handled;
	u64 counted_in_nmi;		/* of ours, of what the handler itself did */
	u64 claimed, claims;		/* NMIs, by the handler under test; what they stood for */
	u64 stolen;			/* overflows of ours found in NMIs of others */
	u64 mistaken;			/* NMIs of others taken for late ones of ours */
	u64 unknown_ours;		/* NMIs of ours that nobody claimed, the kernel neither */
	u64 shaken;			/* times that all four counters were, as errata want */
	char complaint[200];		/* the first thing that no CPU would put up with */
};

enum { SIM_OURS = 1, SIM_FOREIGN = 2, SIM_EXTERNAL = 4 };

/* Registers get random contents, as somebody before us may have left them; nothing of ours runs. */
void sim_init(struct sim_cpu *cpu, const struct sim_config *config, u64 foreign, u64 silent, u64 seed);
/* The one that the functions of hw.h are about. */
void sim_use(struct sim_cpu *cpu);
void sim_tick(struct sim_cpu *cpu);
/* An NMI from outside. */
void sim_inject(struct sim_cpu *cpu);
/* Nothing counts until sim_go(); what is under way arrives. */
void sim_settle(struct sim_cpu *cpu);
void sim_go(struct sim_cpu *cpu);
/* Time passes in which nothing happens: after sim_settle(). */
void sim_skip_ms(struct sim_cpu *cpu, u32 ms);
/* The machine was suspended to memory: no register is what it was, and nobody was told. */
void sim_sleep(struct sim_cpu *cpu);
/* Somebody has left overflows of ours in the status, and what else there can be. */
void sim_leave_status(struct sim_cpu *cpu);
/* Counters that are enabled. */
u64 sim_enabled(const struct sim_cpu *cpu);
/* Counters that have overflowed, as the CPU would tell. */
u64 sim_overflowed(const struct sim_cpu *cpu);
/* Somebody else begins to use those of IBS, a mask of units, and ends with the others. */
void sim_ibs_grab(struct sim_cpu *cpu, u32 units);
/* How often an event happens in 64 ticks, whoever counts it. */
u32 sim_happens(const struct sim_config *config, u32 code, u32 unit_mask);
u64 sim_random(struct sim_cpu *cpu);

#endif
