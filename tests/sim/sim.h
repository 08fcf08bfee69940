/* SPDX-License-Identifier: GPL-2.0 */
/* sim.h -- declarations that all files of the simulated CPU use; tests use cpu.h. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "cpu.h"

#define SIM_FIXED	32		/* number of the first fixed counter */
#define SIM_NS_PER_TICK	50
#define SIM_TICKS_PER_MS	(1000000 / SIM_NS_PER_TICK)

#define SIM_EN		BIT_ULL(22)
#define SIM_INT		BIT_ULL(20)
#define SIM_ANY		BIT_ULL(21)
#define SIM_LVTPC_NMI		0x400
#define SIM_LVTPC_MASKED	BIT(16)
#define SIM_FROZEN	BIT_ULL(59)

#define SIM_TOO_CLOSE	32	/* a counter that starts so close to its overflow overflows twice */

/* Return the configuration of the simulated CPU in use. */
const struct sim_config *sim_config(void);
/* Return the smallest number that does not fit into the counter. */
u64 sim_limit(const struct sim_config *c, u32 counter);
u64 sim_all_counters(const struct sim_config *c);
/*
 * Return the bits of the overflow status register that the code under test must not interpret:
 * traces, the uncore, buffers, reserved bits, and bits of later CPUs.
 */
u64 sim_status_others(const struct sim_config *c);
/* Record the first action of the code under test that a real CPU would not accept. */
__attribute__((format(printf, 2, 3)))
void sim_set_error(struct sim_cpu *cpu, const char *format, ...);

/* Send an interrupt of a counter, or of a unit of IBS (SIM_IBS_SOURCE + unit), which may belong to
 * another user. */
#define SIM_IBS_SOURCE	SIM_COUNTERS
void sim_send(struct sim_cpu *cpu, u32 source, u32 whose);

void sim_ibs_count(struct sim_cpu *cpu);
/* Must be called after a write to a register that may have stopped counters. */
void sim_stopped(struct sim_cpu *cpu, u64 enabled_before);

/* Return whether an IBS unit has a sample of the module that was not read yet. */
bool sim_ibs_waits(const struct sim_cpu *cpu);
u32 sim_ibs_foreign_handler(struct sim_cpu *cpu);
/* Read a register of IBS to *@ret. Return false if @msr is not one. */
bool sim_ibs_read(struct sim_cpu *cpu, u32 msr, u64 *ret);
bool sim_ibs_write(struct sim_cpu *cpu, u32 msr, u64 value);
/*
 * Return the kernel's answer to a request to deliver the APIC's extended interrupt @offset as an
 * NMI.
 */
bool sim_ibs_by_nmi(struct sim_cpu *cpu, u32 offset);

#endif
