/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h -- table of known CPU types. The number of an entry is the CPU type in the headers of
 * sample files: numbers up to 87 are those of OProfile 1.4, higher numbers are new.
 */
#ifndef OP_CPU_TYPE_H
#define OP_CPU_TYPE_H

#include <stddef.h>
#include <stdint.h>

#define OP_CPU_TIMER	4

/* Layouts of the event-select register, which contains the code and the unit mask of an event. */
enum op_pmu_arch {
	/* the events of this CPU are unknown; reports need the CPU's name for old sample files */
	OP_PMU_NONE,
	OP_PMU_INTEL,
	OP_PMU_AMD,
	OP_PMU_ARM,
};

struct op_cpu_desc {
	int number;
	/* name of the CPU type in oprofilefs's file cpu_type, such as "timer" */
	const char *name;
	/* name of the CPU type in reports, such as "CPU with timer interrupt" */
	const char *pretty;
	enum op_pmu_arch arch;
	unsigned int counters;	/* number of general counters that one hardware thread can use */
	/* number of fixed counters: each can count only one certain event */
	unsigned int fixed;
	const char *default_event; /* default event of the CPU, as NAME:COUNT:UM:KERNEL:USER */
	const char *events;	/* directory that contains the CPU's files of events, or NULL */
	const char *pfm;	/* name by which libpfm4 knows the CPU, or NULL */
};

/* Return the table entry for the CPU type with the number @number, or NULL. */
const struct op_cpu_desc *op_cpu_by_number(int number);
const struct op_cpu_desc *op_cpu_by_name(const char *name);

/* Return entry @i of the table, which is sorted by CPU type number, or NULL if @i is too large. */
const struct op_cpu_desc *op_cpu_row(size_t i);

/* Return the mask of counters, for op_counter_alloc(), of a CPU with @counters general counters
 * (from bit 0 on) and @fixed fixed counters (from bit 32 on). */
uint64_t op_counter_mask(unsigned int counters, unsigned int fixed);

/* Return the speed of the running machine's CPU in MHz (from cpuinfo or cpufreq), or 0 if it is
 * unknown. */
double op_cpu_speed_mhz(void);

#endif
