/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h -- which row of the CPU table a machine is.
 *
 * The functions take what the CPU says of itself, so that they work for any CPU on any machine;
 * op_cpu_host() asks the CPU it runs on (libop/cpu/host_x86.c, libop/cpu/host_arm64.c, libop/cpu/host_none.c).
 */
#ifndef OP_CPU_DETECT_H
#define OP_CPU_DETECT_H

#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/cpu/type.h"

struct op_cpu_found {
	const struct op_cpu_desc *cpu;
	unsigned int counters, fixed;	/* what this one has, which can differ from the table */
	char note[200];			/* empty; or why it is only the closest there is, a sentence for the user */
};

void op_cpu_found_set(struct op_cpu_found *found, const struct op_cpu_desc *cpu);

enum op_x86_vendor { OP_X86_OTHER, OP_X86_INTEL, OP_X86_AMD, OP_X86_HYGON };

enum op_core_type { OP_CORE_ONLY, OP_CORE_ATOM = 0x20, OP_CORE_CORE = 0x40 };

/* From CPUID; all numbers as it gives them, display family and model. */
struct op_x86_id {
	enum op_x86_vendor vendor;
	unsigned int family, model;
	unsigned int perfmon_version;	/* leaf 0xa; 0: none */
	unsigned int counters, fixed;	/* leaf 0xa */
	int force_abort;		/* leaf 7: transactions are made to work with a counter's help */
	enum op_core_type core_type;	/* leaf 0x1a: this core of a hybrid CPU */
	int amd_core_counters;		/* leaf 0x80000001: six counters instead of four */
	unsigned int amd_v2_counters;	/* leaf 0x80000022, 0 when it has none */
};

/* 0, or -ENODEV with @msg when the CPU has no counters we know how to use. */
int op_cpu_from_x86(struct op_cpu_found *ret, const struct op_x86_id *id, struct op_reason *msg);

/* The kind of core of a hybrid CPU that @cpu's events are of. */
enum op_core_type op_cpu_core_type(const struct op_cpu_desc *cpu);

/* MIDR_EL1 of an ARMv8 CPU. */
int op_cpu_from_midr(struct op_cpu_found *ret, uint64_t midr, struct op_reason *msg);

/* The CPU this runs on. It says what the CPU is, not whether the kernel lets anybody count. */
int op_cpu_host(struct op_cpu_found *ret, struct op_reason *msg);

#endif
