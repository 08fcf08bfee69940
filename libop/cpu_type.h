/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_type.h -- the kinds of CPU we know, one table row each; the number is the one in sample-file
 * headers (OProfile 1.4's).
 */
#ifndef OP_CPU_TYPE_H
#define OP_CPU_TYPE_H

#define OP_CPU_TIMER	4

struct op_cpu_desc {
	int number;
	const char *name;	/* as oprofilefs's cpu_type says it: "timer" */
	const char *pretty;	/* as reports print it: "CPU with timer interrupt" */
};

/* NULL when unknown. */
const struct op_cpu_desc *op_cpu_by_number(int number);
const struct op_cpu_desc *op_cpu_by_name(const char *name);

/* MHz from the running machine (cpuinfo, cpufreq), 0 when it does not say. */
double op_cpu_speed_mhz(void);

#endif
