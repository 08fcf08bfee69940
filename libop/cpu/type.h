/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h -- the kinds of CPU we know, one table row each; the number is the one in sample-file
 * headers (OProfile 1.4's up to 87, ours from there on).
 */
#ifndef OP_CPU_TYPE_H
#define OP_CPU_TYPE_H

#include <stddef.h>
#include <stdint.h>

#define OP_CPU_TIMER	4

/* How an event's code and unit mask make up what is written to the event-select register. */
enum op_pmu_arch {
	OP_PMU_NONE,	/* no events of ours: sample files of such CPUs can still be named */
	OP_PMU_INTEL,
	OP_PMU_AMD,
	OP_PMU_ARM,
};

struct op_cpu_desc {
	int number;
	const char *name;	/* as oprofilefs's cpu_type says it: "timer" */
	const char *pretty;	/* as reports print it: "CPU with timer interrupt" */
	enum op_pmu_arch arch;
	unsigned int counters;	/* general counters that one hardware thread has */
	unsigned int fixed;	/* counters that can only count one event each */
	const char *default_event; /* NAME:COUNT:UM:KERNEL:USER */
	const char *events;	/* folder of the events files, NULL when we have none */
	const char *pfm;	/* libpfm4's name for the CPU, NULL when it has none */
};

/* NULL when unknown. */
const struct op_cpu_desc *op_cpu_by_number(int number);
const struct op_cpu_desc *op_cpu_by_name(const char *name);

/* Row @i in order of numbers, NULL behind the last. */
const struct op_cpu_desc *op_cpu_row(size_t i);

/* The mask of counters for op_counter_alloc(): general ones from bit 0, fixed ones from bit 32. */
uint64_t op_counter_mask(unsigned int counters, unsigned int fixed);

/* MHz from the running machine (cpuinfo, cpufreq), 0 when it does not say. */
double op_cpu_speed_mhz(void);

#endif
