/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_names.h -- the generic events of perf_events, which exist on all machines, with their names
 * in the perf tool (perf list hw sw). This is the only table of these names: libop/event/any_cpu.c,
 * libop/raw/probe_words.c and libvperf/event.c generate their tables from it.
 */
#ifndef LIBOP_RAW_PERF_NAMES_H
#define LIBOP_RAW_PERF_NAMES_H

/*
 * Rows X(PROBE, NAME, OTHER, TYPE, ID, DESCRIPTION):
 * PROBE	the name under which a probe samples the event: NAME, OTHER, or NONE. A probe
 *		samples user mode, so it has no event that happens only in the kernel
 * OTHER	a second name, or NULL
 * TYPE		HARDWARE: needs a counter of the CPU; SOFTWARE; KERNEL: a software event that
 *		counts 0 in user mode
 * ID		PERF_COUNT_HW_ID or PERF_COUNT_SW_ID of linux/perf_event.h
 * DESCRIPTION	of a software event, or NULL
 */
#define RAW_PERF_HARDWARE(X)									\
	X(OTHER, "cpu-cycles", "cycles", HARDWARE, CPU_CYCLES, NULL)				\
	X(NAME, "instructions", NULL, HARDWARE, INSTRUCTIONS, NULL)				\
	X(NAME, "cache-references", NULL, HARDWARE, CACHE_REFERENCES, NULL)			\
	X(NAME, "cache-misses", NULL, HARDWARE, CACHE_MISSES, NULL)				\
	X(OTHER, "branch-instructions", "branches", HARDWARE, BRANCH_INSTRUCTIONS, NULL)	\
	X(NAME, "branch-misses", NULL, HARDWARE, BRANCH_MISSES, NULL)				\
	X(NONE, "bus-cycles", NULL, HARDWARE, BUS_CYCLES, NULL)					\
	X(NONE, "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE,			\
	  STALLED_CYCLES_FRONTEND, NULL)							\
	X(NONE, "stalled-cycles-backend", "idle-cycles-backend", HARDWARE,			\
	  STALLED_CYCLES_BACKEND, NULL)								\
	X(NAME, "ref-cycles", NULL, HARDWARE, REF_CPU_CYCLES, NULL)

#define RAW_PERF_SOFTWARE(X)									\
	X(NONE, "cpu-clock", NULL, SOFTWARE, CPU_CLOCK, "Time of a CPU, in nanoseconds")	\
	X(NONE, "task-clock", NULL, SOFTWARE, TASK_CLOCK,					\
	  "Time of a task on a CPU, in nanoseconds")						\
	X(NAME, "page-faults", "faults", SOFTWARE, PAGE_FAULTS, "Page faults")			\
	X(NAME, "minor-faults", NULL, SOFTWARE, PAGE_FAULTS_MIN,				\
	  "Page faults without a read from a disk")						\
	X(NAME, "major-faults", NULL, SOFTWARE, PAGE_FAULTS_MAJ,				\
	  "Page faults that read from a disk")							\
	X(NAME, "alignment-faults", NULL, SOFTWARE, ALIGNMENT_FAULTS,				\
	  "Unaligned accesses that the kernel had to handle")					\
	X(NAME, "emulation-faults", NULL, SOFTWARE, EMULATION_FAULTS,				\
	  "Instructions that the kernel had to emulate")					\
	X(NONE, "context-switches", "cs", KERNEL, CONTEXT_SWITCHES,				\
	  "Switches from one task to another")							\
	X(NONE, "cpu-migrations", "migrations", KERNEL, CPU_MIGRATIONS,				\
	  "Moves of a task to another CPU")

#endif
