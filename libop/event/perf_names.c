// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_names.c -- perf's names for the events of linux/perf_event.h (perf list hw sw). */
#include "config.h"
#include "libop/event/perf_names.h"

#include <linux/perf_event.h>
#include <string.h>

#define HARDWARE(name, other, id) { name, other, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, false, NULL }
#define SOFTWARE(name, other, id, desc) { name, other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, false, desc }
#define OF_KERNEL(name, other, id, desc) { name, other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, true, desc }

static const struct op_perf_name names[] = {
	HARDWARE("cpu-cycles", "cycles", CPU_CYCLES),
	HARDWARE("instructions", NULL, INSTRUCTIONS),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES),
	HARDWARE("cache-misses", NULL, CACHE_MISSES),
	HARDWARE("branch-instructions", "branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK, "Time of a CPU, in nanoseconds"),
	SOFTWARE("task-clock", NULL, TASK_CLOCK, "Time of a task on a CPU, in nanoseconds"),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS, "Page faults"),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN, "Page faults without a read from a disk"),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ, "Page faults that read from a disk"),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS,
		 "Unaligned accesses that the kernel had to handle"),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS,
		 "Instructions that the kernel had to emulate"),
	OF_KERNEL("context-switches", "cs", CONTEXT_SWITCHES, "Switches from one task to another"),
	OF_KERNEL("cpu-migrations", "migrations", CPU_MIGRATIONS, "Moves of a task to another CPU"),
};

const struct op_perf_name *op_perf_name_row(size_t i)
{
	return i < sizeof(names) / sizeof(names[0]) ? &names[i] : NULL;
}

const struct op_perf_name *op_perf_name_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i].name, name) ||
		    (names[i].other && !strcmp(names[i].other, name)))
			return &names[i];
	}
	return NULL;
}
