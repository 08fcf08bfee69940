/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h -- lookup of a CPU in the table of CPU types.
 *
 * The functions take the CPU's ID values as arguments, so that they work for any CPU on any
 * machine. op_cpu_host() reads the ID values of the CPU on which it runs (libop/cpu/host_x86.c,
 * libop/cpu/host_arm64.c, libop/cpu/host_none.c).
 */
#ifndef OP_CPU_DETECT_H
#define OP_CPU_DETECT_H

#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/cpu/type.h"

struct op_cpu_found {
	const struct op_cpu_desc *cpu;
	/* numbers of general and of fixed counters of this CPU, which may differ from the numbers
	 * in the table */
	unsigned int counters, fixed;
	/* message why only a similar CPU was found in the table; empty: the table contains this
	 * CPU */
	char note[200];
};

void op_cpu_found_set(struct op_cpu_found *found, const struct op_cpu_desc *cpu);

enum op_x86_vendor { OP_X86_OTHER, OP_X86_INTEL, OP_X86_AMD, OP_X86_HYGON };

enum op_core_type { OP_CORE_ONLY, OP_CORE_ATOM = 0x20, OP_CORE_CORE = 0x40 };

/* Values of the instruction CPUID. The members for family and model contain the display family and
 * model. */
struct op_x86_id {
	enum op_x86_vendor vendor;
	unsigned int family, model;
	/* version of performance monitoring, from CPUID leaf 0xa; 0: the CPU has no counters */
	unsigned int perfmon_version;
	/* numbers of general and of fixed counters, from CPUID leaf 0xa */
	unsigned int counters, fixed;
	/* whether microcode uses a counter to abort transactions (flag in CPUID leaf 7) */
	int force_abort;
	enum op_core_type core_type;	/* leaf 0x1a: kind of this core, if the CPU is hybrid */
	/* whether AMD's CPU has six counters instead of four (flag in CPUID leaf 0x80000001) */
	int amd_core_counters;
	/* number of counters of AMD's CPU, from leaf 0x80000022; 0: the CPU does not have this
	 * leaf */
	unsigned int amd_v2_counters;
};

/* Find the table entry of an x86 CPU. Return 0, or -ENODEV with a message if the CPU's counters
 * are not supported. */
int op_cpu_from_x86(struct op_cpu_found *ret, const struct op_x86_id *id, struct op_reason *error);

/* The table entry @cpu belongs to a kind of core of a hybrid CPU. Return this kind. */
enum op_core_type op_cpu_core_type(const struct op_cpu_desc *cpu);

/* Find the table entry for an ARMv8 CPU by its MIDR_EL1. Return 0, or -ENODEV with a message. */
int op_cpu_from_midr(struct op_cpu_found *ret, uint64_t midr, struct op_reason *error);

/* Find the table entry for the CPU on which the program runs. Do not check whether the kernel
 * allows counting with this CPU. */
int op_cpu_host(struct op_cpu_found *ret, struct op_reason *error);

#endif
